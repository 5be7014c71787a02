import { EXAMPLE_ORIGIN } from '../../src/domain/example-origin.ts'

export const DESCRIPTION = `Galaxy is a real service with demonstration data: it validates, stores and secures what you send. Use it to try out your API tools.

## First steps

1. [Create an account](${EXAMPLE_ORIGIN}/docs#tag/authentication/POST/user/signup). Then get a token with its e-mail address and password.
2. Send the token as \`Authorization: Bearer …\`. You do not need a token to read planets.
3. Create a planet, then change it. You cannot change the existing planets, because they belong to other accounts. In a
   universe, which is a world of your own, you can change all planets.

## Formats

Request and response bodies are JSON or XML. If an operation supports only one format, it lists only this format. \`Content-Type\` is the format of your request, \`Accept\`
is the format that you want for the response. Both formats contain the same data. \`text/xml\` is an alias of \`application/xml\` in both headers.

A request body can be compressed: \`Content-Encoding: gzip\` or \`deflate\` (zlib). Its limits count before and after it is decoded.

In XML, a property is an element with the name of the property. A list is a repeated element. Null is \`xsi:nil="true"\`. A character that is
not allowed in element names is written like \`_x0020_\`.

## Errors

Every error is a problem document (RFC 9457): \`application/problem+json\` or \`application/problem+xml\`. \`type\` is the URL of a page
that explains the problem. \`errors\` lists each invalid member. In XML, problems are as appendix B of the RFC has them: in the namespace
\`urn:ietf:rfc:7807\`, and a list is an element with an \`i\` for each item.

## Errors and delays on demand

| request header       | response                                                            |
| -------------------- | ------------------------------------------------------------------- |
| \`Prefer: code=503\` | the example of that status, if the operation documents it           |
| \`Prefer: delay=2\`  | the usual response after two seconds (at most ten)                  |
| \`Prefer: drop=response\` | no response: the service carries out the request, then closes the connection; \`drop=request\`: it does not even carry it out |
| \`Prefer: slow=5\`   | the usual response, with its body in ten parts over five seconds (at most ten) |
| \`Prefer: cut=100\`  | the head and 100 bytes of the body, then the connection breaks      |
| \`Prefer: label=html\` | the JSON under a wrong type, charset or coding: \`html\`, \`text\`, \`bytes\`, \`none\`, \`utf-16\`, \`gzip\` |
| \`Prefer: violate=type\` | the usual response, but its JSON breaks this document in one place |

The response names the applied preferences in \`Preference-Applied\`. A request for an example changes no data and needs no credentials. A request with a delay is carried out as usual.

## Echo

Any request to [/echo](${EXAMPLE_ORIGIN}/echo) or a path below it, with any method, returns what you sent: method, path, headers, cookies,
query, credentials and body, as JSON, XML or a page. The echo is the second server in this document. It has no operations, because it accepts every path.

| path                        | response                                                                              |
| --------------------------- | ------------------------------------------------------------------------------------- |
| \`/echo/any/path?a=1&a=2\`  | what you sent; a repeated value becomes a list                                        |
| \`/echo/any/path.xml\`      | the same as XML, even if \`Accept\` names another type; also \`.json\` and \`.html\`   |
| \`/echo/any/path/503\`      | the status 503; any status from 200 to 599; from 400, a problem document; with 3xx, \`Location\` |
| \`/echo/any/path?delay=2\`  | the usual response after two seconds (at most ten)                                    |
| \`/echo/stream\`            | server-sent events: \`count\` events, one every \`interval\` seconds, with \`data\`      |
| a WebSocket to any of these | every message as you sent it, for one minute                                          |

Bodies can have at most 1 MiB. The echo stores nothing. It decodes credentials but does not check them.

## On every request

| request header | meaning |
| -------------- | ------- |
| \`API-Version\` | the API version: \`2.0.0\` (the default) or \`1.0.0\`; both behave the same |
| \`X-Request-ID\` | a UUID for this request, which the response repeats |
| \`X-D1-Bookmark\` | on public reads: the bookmark of an earlier response; the service then uses no older state of the database |
| \`If-Match\`, \`If-None-Match\`, \`If-Modified-Since\`, \`If-Unmodified-Since\`, \`If-Range\` | conditions (RFC 9110, section 13), on everything that has an \`ETag\` |

Every response has \`X-Request-ID\`, \`X-Processing-Time\`, \`API-Version\` and \`Cache-Control\`. This document declares only
the headers that a client acts on.

HEAD works on every path that supports GET. OPTIONS works on every path. If a path exists but does not support the method, the response is 405 with \`Allow\`. If a path
does not exist, the response is 404 for every method. Pages of any origin can call this service and read
its response headers. Every response in a universe says in \`Sunset\` when the universe ends. After that, every response is 410.
The pages for people, such as those under /oauth, are no operations of this document.
`

/** Leads from one document to all of them. The document of 1.0.0 lacks it. */
export const OTHER_DOCUMENTS = `
## Documents

This service is described in OpenAPI 3.1 ([JSON](${EXAMPLE_ORIGIN}/openapi.json), [YAML](${EXAMPLE_ORIGIN}/openapi.yaml)) and in OpenAPI 3.2
([JSON](${EXAMPLE_ORIGIN}/openapi-3.2.json), [YAML](${EXAMPLE_ORIGIN}/openapi-3.2.yaml)).
`
