// The calls that the explorer shows and makes. This file runs in browsers too.

/** A call that anyone may make. */
export interface ShownCall {
  /** Unique on the page. */
  name: string
  label: string
  path: string
  headers: readonly (readonly [name: string, value: string])[]
  /** Whether the operator can switch off what it shows (DEMO_CONTROLS). */
  needsDemoControls?: true
}

export const CALLS: readonly ShownCall[] = [
  { name: 'json', label: 'A planet as JSON', path: '/planets/4', headers: [] },
  { name: 'xml', label: 'The same as XML', path: '/planets/4', headers: [['Accept', 'application/xml']] },
  {
    name: 'error',
    label: 'An error on demand',
    path: '/planets',
    headers: [['Prefer', 'code=503']],
    needsDemoControls: true,
  },
]
