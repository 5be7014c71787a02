import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'

/** The introduction of the AsyncAPI document (Markdown). */
export const DESCRIPTION = `What happens in Galaxy, as it happens, over WebSocket. The events are real: they are caused by people who use the [REST API](${EXAMPLE_ORIGIN}/docs). The same events go to streams over HTTP (\`GET /planets/events\`) and into the log (\`GET /events\`), with the same \`eventId\`.

## Connecting

- Open a socket at the address of a channel, below the path of a server. A socket belongs to one channel.
- If the service refuses the socket, it responds with a problem document instead of the upgrade. The first frame of an event channel is \`SubscriptionAcknowledged\`. Each later frame is one event.
- The channels of planets, of celestial bodies and of the system need no credentials. The channel of your account needs credentials, and all security schemes work. Browsers cannot set headers. They ask for the subprotocol \`bearer.\` followed by a token instead.
- The subprotocol \`galaxy.envelope.v1\` puts each message into \`{headers, payload}\`. Without it, or with \`galaxy.v1\`, a frame is the payload alone.
- The text \`ping\` is answered with \`pong\`.

## Missing nothing

Keep the \`eventId\` of the last event. If you lose the connection, open a new socket and send this id as \`lastEventId\`. The service first sends all events after this event, then all new events. The log keeps events for 24 hours, and at most 10,000 rows and 64 MiB. If the event is no longer in the log, the acknowledgement has \`gap: true\`. The order of events is the order in which they arrive. Their ids are only roughly in this order.

## Making events

\`POST /events\` sends an event of your choice to sockets, streams and the log. In a universe, its owner can make every type. In the common world, you can make events of your own account.

## When a socket ends

| code | meaning |
| --- | --- |
| 1003 | you sent a binary frame |
| 1009 | you sent a frame of more than 64 KiB |
| 1012 | the universe was reset, or has ended |
| 1013 | you read too slowly, you sent too many requests, or the log could not be read; connect again with \`lastEventId\` |
| 4401 | the credential is no longer valid |
`
