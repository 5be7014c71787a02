// The steps of the tour, for the page without JavaScript and for the script of the page.

interface WalkStep {
  id: string
  title: string
  /** What the step does, and why this matters. */
  why: string
  /** The same step as commands for bash. The variable GALAXY is the URL of the service. */
  shell: string
}

const SIGNED_IN = '-H "Authorization: Bearer $TOKEN"'
const CREDENTIALS = '--json "{\\"email\\":\\"$EMAIL\\",\\"password\\":\\"i-love-planets\\"}"'
/**
 * The headers with which curl opens a WebSocket (RFC 6455, section 4.1). The key can be any 16 bytes in base64. curl
 * then prints the frames as they arrive.
 */
const UPGRADE =
  "-H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: R2FsYXh5R2FsYXh5R2FsYQ=='"
const UPDATE = `curl -i -X PUT ${SIGNED_IN} -H "If-Match: $ETAG" --json "{\\"name\\":\\"Arrakis\\",\\"description\\":\\"Dune\\",\\"successCallbackUrl\\":\\"$GALAXY/inboxes/$INBOX/callbacks\\"}" $GALAXY/planets/$PLANET`

export const WALK_STEPS = [
  {
    id: 'signup',
    title: 'Sign up',
    why: 'Everybody can read planets. To create them you need an account. An e-mail address that you make up is fine: nothing is sent to it.',
    shell: `EMAIL="you-$(date +%s)@example.com"\ncurl -i ${CREDENTIALS} $GALAXY/user/signup`,
  },
  {
    id: 'token',
    title: 'Get a token',
    why: 'The following requests send the token instead of your password. The token is valid for one hour. This page keeps it in this tab only, and no URL contains it. A device without a keyboard gets a token in another way: with curl -d client_id=… $GALAXY/oauth/device it gets a code, which its user types at /device.',
    shell: `TOKEN=$(curl -s ${CREDENTIALS} $GALAXY/auth/token | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`,
  },
  {
    id: 'inbox',
    title: 'Create an inbox',
    why: 'The service calls you back when something happens to a planet. An inbox is a URL that records these calls, so you need no server of your own.',
    shell: `INBOX=$(curl -s -X POST $GALAXY/inboxes | sed 's/{"id":"\\([^"]*\\)".*/\\1/')`,
  },
  {
    id: 'planet',
    title: 'Create a planet',
    why: 'The planet names your inbox as its successCallbackUrl. The response contains the id of the planet, and an ETag, which identifies this version of the planet.',
    shell: `PLANET=$(curl -s ${SIGNED_IN} --json "{\\"name\\":\\"Arrakis\\",\\"successCallbackUrl\\":\\"$GALAXY/inboxes/$INBOX/callbacks\\"}" $GALAXY/planets | sed 's/{"id":\\([0-9]*\\).*/\\1/')`,
  },
  {
    id: 'picture',
    title: 'Upload its picture',
    why: 'A picture is sent as a form. The service looks at the content of the file, not at its name, and refuses a file that is not an image.',
    shell: `curl -i ${SIGNED_IN} -F image=@picture.png $GALAXY/planets/$PLANET/image`,
  },
  {
    id: 'created',
    title: 'See planetCreated arrive',
    why: 'The service stored the event together with the planet, and called your inbox after that. So no event is lost, even if the service stops before the call.',
    shell: 'until curl -s $GALAXY/inboxes/$INBOX | grep planetCreated; do sleep 1; done',
  },
  {
    id: 'verify',
    title: 'Verify its signature',
    why: 'Anybody can call your URL. Only the service and you know the secret, so a right signature shows that the call comes from the service and that nobody has changed it. Your account page can send calls that are wrong on purpose to a receiver of yours, and tells you whether it refuses them.',
    shell: [
      `SECRET=$(curl -s ${SIGNED_IN} $GALAXY/me/signing-secret | sed 's/.*"secret":"\\([^"]*\\)".*/\\1/')`,
      'CALL=$(curl -s "$GALAXY/inboxes/$INBOX?limit=1")',
      'header() { printf %s "$CALL" | sed "s/.*\\"name\\":\\"$1\\",\\"value\\":\\"\\([^\\"]*\\)\\".*/\\1/"; }',
      // The body is within a JSON string, where a backslash stands before each quotation mark.
      `BODY=$(printf %s "$CALL" | sed 's/.*"body":"\\(.*\\)","encoding".*/\\1/; s/\\\\"/"/g')`,
      // The key follows after the prefix `whsec_`.
      'KEY=$(printf %s "$SECRET" | cut -c 7- | openssl base64 -d -A | od -An -v -tx1 | tr -d " \\n")',
      'echo "v1,$(printf %s "$(header webhook-id).$(header webhook-timestamp).$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | openssl base64 -A)"',
      'header webhook-signature; echo',
    ].join('\n'),
  },
  {
    id: 'update',
    title: 'Update it with If-Match',
    why: 'First you read the planet, then you send it back with the ETag of the version that you read. The service changes the planet only if nobody has changed this version.',
    shell: `ETAG=$(curl -s -D - -o /dev/null $GALAXY/planets/$PLANET | tr -d '\\r' | sed -n 's/^etag: //Ip')\n${UPDATE}`,
  },
  {
    id: 'conflict',
    title: 'Try again with the old ETag',
    why: 'The same request, with the ETag from before your update, is like a request of somebody who has not seen your update. The service refuses the request with 412, so your update is not overwritten.',
    shell: UPDATE,
  },
  {
    id: 'fault',
    title: 'Force a 503',
    why: 'A good client can deal with a service that is busy. To test your client, you can choose the status of a response with the header Prefer, unless the operator has switched this off (DEMO_CONTROLS). A request with a chosen status has no effect.',
    shell: "curl -i -H 'Prefer: code=503' $GALAXY/planets",
  },
  {
    id: 'explode',
    title: 'Explode the planet',
    why: 'This deletes the planet and its picture. The response contains the planet for the last time, and the service calls your inbox.',
    shell: `curl -i -X POST ${SIGNED_IN} $GALAXY/planets/$PLANET/explode`,
  },
  {
    id: 'exploded',
    title: 'See planetExploded arrive',
    why: 'The call carries the planet in its last state, and is signed with the same secret.',
    shell: 'until curl -s $GALAXY/inboxes/$INBOX | grep planetExploded; do sleep 1; done',
  },
  {
    id: 'live',
    title: 'Receive one event in four ways',
    why: 'An event can reach you as a callback, as a webhook, on a WebSocket and as a server-sent event. Create another planet, and its event arrives in all four ways with the same id. So a program that receives an event in two ways can see that it is the same event.',
    shell: [
      `WEBHOOK=$(curl -s ${SIGNED_IN} --json "{\\"url\\":\\"$GALAXY/inboxes/$INBOX/callbacks\\",\\"events\\":[\\"newPlanet\\"]}" $GALAXY/webhooks | sed 's/{"id":\\([0-9]*\\).*/\\1/')`,
      // The stream begins with the field `retry`. From then on, it gets all events.
      'curl -sN $GALAXY/planets/events > stream.txt & STREAM=$!',
      'until grep -q ^: stream.txt; do sleep 0.1; done',
      `PLANET=$(curl -s ${SIGNED_IN} --json "{\\"name\\":\\"Arrakis II\\",\\"successCallbackUrl\\":\\"$GALAXY/inboxes/$INBOX/callbacks\\"}" $GALAXY/planets | sed 's/{"id":\\([0-9]*\\).*/\\1/')`,
      // The socket stays open, so curl ends it after two seconds. By then, the creation of the planet has arrived.
      `EVENT=$(curl -sN -m 2 --http1.1 ${UPGRADE} "$GALAXY/ws/v1/planets/$PLANET/events?includeHistory=true" | grep -ao '"eventId":"[^"]*' | head -n 1 | cut -d '"' -f 4)`,
      'echo "socket: $EVENT"',
      'until grep "^id: $EVENT" stream.txt; do sleep 0.1; done; kill $STREAM',
      // The inbox gets two calls with the event: the callback and the call of the webhook.
      `calls() { curl -s "$GALAXY/inboxes/$INBOX?limit=100" | grep -o "\\"x-galaxy-event-id\\",\\"value\\":\\"$EVENT\\""; }`,
      'until [ "$(calls | wc -l)" = 2 ]; do sleep 0.5; done; calls',
      `curl -X DELETE ${SIGNED_IN} $GALAXY/webhooks/$WEBHOOK`,
    ].join('\n'),
  },
] as const satisfies readonly WalkStep[]

export type StepId = (typeof WALK_STEPS)[number]['id']
