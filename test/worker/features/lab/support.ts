import { bodyOf, type Client, createClient, type Overrides } from '../../../support/app.ts'
import { fromAnywhere } from '../../../support/good-requests.ts'
import { Clock } from '../callbacks/support.ts'

// Shared by the tests of runs of the laboratory: a service whose clock the test controls.

export interface LabStage {
  client: Client
  clock: Clock
}

export function createLab(overrides: Overrides = {}): LabStage {
  const clock = new Clock()
  return { clock, client: createClient({ now: clock.now, ...overrides }) }
}

/** Sends a request with a JSON body, by default from an address of its own. */
export function sendFrom(
  { client }: Pick<LabStage, 'client'>,
  method: string,
  path: string,
  body: unknown,
  headers: HeadersInit = fromAnywhere(),
): Promise<Response> {
  const sent = new Headers(headers)
  sent.set('Content-Type', 'application/json')
  return client.send(path, { method, body: JSON.stringify(body), headers: sent })
}

/** A run of a client, and what its maker does with it. */
export class Run {
  readonly path: string
  readonly #client: Client

  constructor(client: Client, id: string) {
    this.#client = client
    this.path = `/lab/runs/${id}`
  }

  get id(): string {
    return this.path.slice('/lab/runs/'.length)
  }

  /** Calls a case. A Content-Type is that of JSON if there is a body. */
  call(path: string, { body, ...init }: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (body !== undefined && body !== null && !headers.has('Content-Type'))
      headers.set('Content-Type', 'application/json')
    return this.#client.send(`${this.path}/${path}`, {
      redirect: 'manual',
      ...init,
      ...(body !== undefined && { body }),
      headers,
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async read(): Promise<any> {
    return await bodyOf(await this.#client.get(this.path))
  }

  // biome-ignore lint/suspicious/noExplicitAny: the assertions of a test check the shape
  async result(id: string): Promise<any> {
    return (await this.read()).results.find((result: { case: string }) => result.case === id)
  }

  get(path: string): Promise<Response> {
    return this.#client.get(`${this.path}/${path}`)
  }

  change(body: unknown): Promise<Response> {
    return sendFrom({ client: this.#client }, 'PATCH', this.path, body)
  }

  remove(): Promise<Response> {
    return this.#client.send(this.path, { method: 'DELETE' })
  }
}

/** Begins a run. */
export async function beginRun(stage: Pick<LabStage, 'client'>, options: object = {}): Promise<Run> {
  const response = await sendFrom(stage, 'POST', '/lab/runs', { tool: 'openapi-fetch', version: '0.15.0', ...options })
  return new Run(stage.client, (await bodyOf(response)).id)
}
