import { EXAMPLE_ORIGIN } from '../lib/example-origin.ts'

/** What the document says of the service before its operations. */
export const DESCRIPTION = `Galaxy is a real service over a demonstration universe: what you send is stored, checked and secured. Point your tools at it.

## First steps

1. [Make an account](${EXAMPLE_ORIGIN}/docs#tag/authentication/POST/user/signup), then get a token with its e-mail and password.
2. Send the token as \`Authorization: Bearer …\`. Reading planets needs none.
3. Create a planet, and change it. The planets that are there already belong to somebody else.

## Formats

Bodies and answers are JSON or XML (celestial bodies are taken as JSON only): \`Content-Type\` says what you send, \`Accept\` what you want. Both formats carry the same.
\`text/xml\` is another name of \`application/xml\`, in both.
In XML a property is an element of its name, a list is its element repeated, null is \`xsi:nil="true"\`, and a character that no
element name can have is written like \`_x0020_\`.

## Errors

Every error is a problem document (RFC 9457): \`application/problem+json\` or \`application/problem+xml\`. Its \`type\` opens a page
that explains it, \`errors\` names each member that is wrong.

## Errors and delays on demand

| request header       | answer                                                              |
| -------------------- | ------------------------------------------------------------------- |
| \`Prefer: code=503\` | the example of that status, if the operation documents it           |
| \`Prefer: delay=2\`  | the usual answer, after two seconds; ten at most                    |

\`Preference-Applied\` confirms them. A forced answer changes nothing and needs no credentials; a late one is the usual answer.

## Echo

Any request to [/echo](${EXAMPLE_ORIGIN}/echo), or below it, by any method, is answered with what was sent: method, path, headers, cookies,
query, credentials and body, as JSON, XML or a page. It is the second server of this document, and has no operations: every path is one.

| path                        | answer                                                                                |
| --------------------------- | ------------------------------------------------------------------------------------- |
| \`/echo/any/path?a=1&a=2\`  | what was sent; a value that is repeated is a list                                     |
| \`/echo/any/path.xml\`      | the same as XML, whatever \`Accept\` says; also \`.json\` and \`.html\`                |
| \`/echo/any/path/503\`      | that status, from 200 to 599; from 400 on a problem document, 3xx with \`Location\`    |
| \`/echo/any/path?delay=2\`  | the usual answer, after two seconds; ten at most                                      |
| \`/echo/stream\`            | server-sent events: \`count\` of them, one each \`interval\` seconds, with \`data\`      |
| a WebSocket to any of these | every message as it came, for a minute                                                |

Bodies have 1 MiB at most. Nothing is stored, and credentials are decoded but not checked.

## Everywhere

HEAD works wherever GET does, OPTIONS on every path. A path that exists, with a method that it has not, is 405 with \`Allow\`; a path
that does not exist is 404, whatever the method. Any page of the web may call this service and read
its headers, but for the pages under /oauth, which are for people.
`
