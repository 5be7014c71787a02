import { afterEach, beforeEach, type MockInstance, vi } from 'vitest'

const METHODS = ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const

/** What the service writes to its log. */
export interface LogLines {
  /** Everything, as text. */
  text(): string
  /** The lines about an event, in order. */
  of(event: string): Record<string, unknown>[]
  clear(): void
}

/** Keeps the log from the output of the tests of a file, and lets them read it. */
export function readLog(): LogLines {
  let mocks: MockInstance[] = []
  beforeEach(() => {
    mocks = METHODS.map((method) => vi.spyOn(console, method).mockImplementation(() => {}))
  })
  afterEach(() => {
    for (const mock of mocks) mock.mockRestore()
  })
  const lines = () => mocks.flatMap((mock) => mock.mock.calls.map((parts) => parts.map(String).join(' ')))
  return {
    text: () => lines().join('\n'),
    of: (event) =>
      lines()
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line))
        .filter((line) => line.event === event),
    clear: () => {
      for (const mock of mocks) mock.mockClear()
    },
  }
}
