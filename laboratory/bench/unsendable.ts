import { bodyBytesOf, readBytes } from './request.ts'
import type { Typed } from './typed.ts'

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/

/** Why no client can send what was typed, because it is no request of HTTP/1.1; undefined if one can. */
export function findUnsendable({ request, noHeader }: Pick<Typed, 'request' | 'noHeader'>): string | undefined {
  const { method, target, headers } = request
  if (/^(?:curl|echo|printf)$/.test(method))
    return 'This command cannot be read here. Write its request: a method and a path, headers and a body.'
  if (target === '') return 'There is no path.'
  if (!TOKEN.test(method)) return `${JSON.stringify(method)} is no method, so no client can send it.`
  if (/\s/.test(target))
    return 'A space ends the path in HTTP, so no client can send it there. It is %20, in a query also +.'
  if (hasControls(target)) return 'No client can send a control character in a path. Encode it, such as %00.'
  if (noHeader !== undefined)
    return `The line ${JSON.stringify(noHeader)} is no header, so no client can send it. A header is a name, a colon and a value.`
  for (const [name, value] of headers) {
    if (readBytes(value).some((byte) => byte === 0 || byte === 0x0a || byte === 0x0d))
      return `The value of ${name} has a line break or a zero byte, so no client can send it.`
    if (/^(?:content-length|transfer-encoding)$/i.test(name))
      return `Whatever sends the request writes ${name} itself. Leave the line out.`
  }
  return method.toUpperCase() === 'HEAD' && bodyBytesOf(request).length > 0
    ? 'A request with HEAD has no body.'
    : undefined
}

/** The path is a text here, in which nothing is a byte. */
const hasControls = (text: string) => [...text].some((one) => one < ' ' || one === '\x7f')
