/** A promise about a ratio, and the measured value. */
export type Finding = { name: string; ratio: number } & ({ atMost: number } | { atLeast: number })

export function isKept(finding: Finding): boolean {
  return 'atMost' in finding ? finding.ratio <= finding.atMost : finding.ratio >= finding.atLeast
}

/** The limit of a finding, in words. */
export function limitOf(finding: Finding): string {
  return 'atMost' in finding ? `at most ${finding.atMost}` : `at least ${finding.atLeast}`
}

type Work = () => Promise<void>

/**
 * Times two kinds of work in turn, so that whatever else the machine does affects both equally.
 *
 * @returns The medians, in milliseconds
 */
export async function measureInTurn(first: Work, second: Work, rounds: number): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    times[0].push(await time(first))
    times[1].push(await time(second))
  }
  return [median(times[0]), median(times[1])]
}

/** How long some work takes, in milliseconds. */
export async function time(work: Work): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** The smallest value that so many percent of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN
}

/** A request whose response must have the given status. */
export function request(url: string, status: number, init?: RequestInit): Work {
  return async () => {
    const response = await fetch(url, init)
    await response.arrayBuffer()
    if (response.status !== status) throw new Error(`${url} returned ${response.status} instead of ${status}`)
  }
}

export function json(body: object): RequestInit {
  return { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }
}

export function basic({ email, password }: { email: string; password: string }): RequestInit {
  return { headers: { Authorization: `Basic ${btoa(`${email}:${password}`)}` } }
}
