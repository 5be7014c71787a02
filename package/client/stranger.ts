/** Every response of Galaxy has it. */
const HEADER = 'X-Processing-Time'

/** What is between the caller and Galaxy, or in its place; undefined if Galaxy itself has answered. */
export function strangerIn({ status, headers, url }: Response): string | undefined {
  if (headers.has(HEADER)) return undefined
  const named = ['Server', 'Via'].flatMap((name) => (headers.has(name) ? [`${name}: ${headers.get(name)}`] : []))
  const who = named.length > 0 ? named.join(', ') : 'it does not say what it is'
  return `something else than Galaxy has answered ${status} at ${url} (${who}). Its answer has no header ${HEADER}.`
}
