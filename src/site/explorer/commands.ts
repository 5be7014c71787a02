// The calls that the explorer shows and makes. This file runs in browsers too.

/** A call that anyone may make. */
export interface ShownCall {
  /** Unique on the page. */
  name: string
  label: string
  path: string
  headers: readonly (readonly [name: string, value: string])[]
  /** Whether the call only works if the operator allows demo controls (DEMO_CONTROLS). */
  needsDemoControls?: true
}

/** The id of Mars. The calls get this planet if the world has it. */
export const EXAMPLE_PLANET_ID = 4

/** @param planetId The planet that the calls get; undefined if the world has no planets */
export function callsOf(planetId: number | undefined): readonly ShownCall[] {
  return [...(planetId === undefined ? LIST_CALLS : planetCalls(`/planets/${planetId}`)), ERROR_CALL]
}

const XML = [['Accept', 'application/xml']] as const

const planetCalls = (path: string): readonly ShownCall[] => [
  { name: 'json', label: 'A planet as JSON', path, headers: [] },
  { name: 'xml', label: 'The same as XML', path, headers: XML },
]

const LIST_CALLS: readonly ShownCall[] = [
  { name: 'json', label: 'Planets as JSON', path: '/planets', headers: [] },
  { name: 'xml', label: 'The same as XML', path: '/planets', headers: XML },
]

const ERROR_CALL: ShownCall = {
  name: 'error',
  label: 'An error on demand',
  path: '/planets',
  headers: [['Prefer', 'code=503']],
  needsDemoControls: true,
}
