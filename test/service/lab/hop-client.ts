import { type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type Message, ReferenceClient } from './reference/client.ts'

/** A URL as a client may write it, although every hop may write it in another way (RFC 3986, 6.2). */
function rewrite({ pathname, search }: URL): string {
  const [bench = '', target = ''] = pathname.split(/(?<=\/lab\/runs\/[^/]+)\//)
  const [group, name, ...values] = target.split('/')
  const rest = values.map((value) => `/x/%2e%2E//${reencode(value)}`).join('')
  return `${bench}//${group}/./y/../${name}${rest}${reencode(search)}`
}

/** Lower-case hex, one letter or digit encoded, and UTF-8 raw. */
function reencode(text: string): string {
  const raw = text.replaceAll(/(?:%[89A-F][\dA-F])+/g, (one) => Buffer.from(decodeURIComponent(one)).toString('latin1'))
  const lower = raw.replaceAll(/%[\dA-F]{2}/g, (one) => one.toLowerCase())
  return lower.replace(/(?<!%|%.)[a-zA-Z\d]/, (one) => `%${one.charCodeAt(0).toString(16)}`)
}

/** The reference client behind hops that change what they may change: paths, queries, names of headers, and framing. */
export class HopClient extends ReferenceClient {
  protected override async fetch({ method, url, headers, body }: Message): Promise<Response> {
    const names = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])
    const added = { Via: '1.1 proxy', Connection: 'close', 'Accept-Encoding': 'identity' }
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      const { hostname, port } = url
      const path = rewrite(url)
      const outgoing = request({ hostname, port, path, method, headers: { ...Object.fromEntries(names), ...added } })
      outgoing.on('response', resolve).on('error', reject)
      // A body without a length comes in chunks.
      if (body) {
        outgoing.setHeader('Transfer-Encoding', 'chunked')
        for (const byte of [body.subarray(0, 1), body.subarray(1)]) outgoing.write(byte)
      }
      outgoing.end()
    })
    const { statusCode: status = 0, headersDistinct } = incoming
    const content = await buffer(incoming)
    const fields = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    )
    return new Response(status === 204 ? null : content, { status, headers: fields })
  }
}
