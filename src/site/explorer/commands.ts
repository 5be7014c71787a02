// The calls that the explorer shows and makes. This file runs in browsers too.

/** A call that anyone may make. */
export interface ShownCall {
  label: string
  path: string
  headers: readonly (readonly [name: string, value: string])[]
}

export const CALLS: readonly ShownCall[] = [
  { label: 'A planet as JSON', path: '/planets/4', headers: [] },
  { label: 'The same as XML', path: '/planets/4', headers: [['Accept', 'application/xml']] },
  { label: 'An error on demand', path: '/planets', headers: [['Prefer', 'code=503']] },
]

/** The command that makes a call. */
export function writeCommand({ path, headers }: ShownCall, baseUrl: string): string {
  const options = headers.map(([name, value]) => `-H '${name}: ${value}' `)
  return `curl ${options.join('')}${baseUrl}${path}`
}
