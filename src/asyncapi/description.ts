import { EXAMPLE_ORIGIN } from '../domain/example-origin.ts'

/** The introduction of the AsyncAPI document (Markdown). */
export const DESCRIPTION = `What happens in Galaxy, as it happens, over WebSocket. The events are real: they tell of what people do with the [REST API](${EXAMPLE_ORIGIN}/docs). The same events go to streams over HTTP (\`GET /planets/events\`) and into the log (\`GET /events\`), with the same \`eventId\`.

## Connecting

- Open a socket at the address of a channel, below the path of a server. One socket is one channel.
- A refusal comes before the upgrade, as a problem document. The first frame of an event channel is \`SubscriptionAcknowledged\`, then each frame is one event.
- The channels of planets, of celestial bodies and of the system need no credentials. Your own channel does. All security schemes work. Browsers, which cannot set headers, ask for the subprotocol \`bearer.\` followed by a token.
- The subprotocol \`galaxy.envelope.v1\` puts each message into \`{headers, payload}\`. Without it, or with \`galaxy.v1\`, a frame is the payload alone.
- The text \`ping\` is answered with \`pong\`.

## Missing nothing

Keep the \`eventId\` of the last event. After a lost connection, send it as \`lastEventId\`: everything that came after it follows, then what happens from then on. The log keeps 24 hours, 10,000 rows and 64 MiB. If the log no longer has that event, the acknowledgement has \`gap: true\`. Order is the order of arrival. Ids of events are only roughly in the order of time.

## Making events

\`POST /events\` sends an event of your choice to sockets, streams and the log. In a universe, its owner can make every type. In the common world, you can make events of your own account.

## When a socket ends

| code | meaning |
| --- | --- |
| 1003 | you sent a binary frame |
| 1009 | you sent a frame of more than 64 KiB |
| 1012 | the universe was reset, or has ended |
| 1013 | you read too slowly, sent too many requests, or the log could not be read; come again with \`lastEventId\` |
| 4401 | the credential has ended |
`
