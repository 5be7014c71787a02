/** A promise about a ratio, and the measured value. */
export interface Finding {
  name: string
  ratio: number
  atMost: number
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

async function time(work: Work): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
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
