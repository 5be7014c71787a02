import type { Answer } from './call-cases.ts'

/** A response, as most clients have it. */
export interface PlainResponse {
  status: number
  headers: Headers | Readonly<Record<string, unknown>>
  data: unknown
}

/**
 * What came of a call. Some clients throw responses that are not 2xx.
 *
 * @throws what the client threw, if there was no response
 */
export async function answerOf<T extends PlainResponse>(
  call: Promise<T>,
  dataOf = (response: T) => response.data,
): Promise<Answer> {
  const response: T = await call.catch((error) => {
    if (!error.response) throw error
    return error.response
  })
  const { status, headers } = response
  const texts = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)])
  return { status, headers: headers instanceof Headers ? headers : new Headers(texts), data: dataOf(response) }
}
