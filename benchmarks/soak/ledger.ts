import { createServer } from 'node:http'

// What the service has promised to the users of the soak, and what came of it.

interface Promised {
  id: number
  /** The events of which no callback has arrived yet. */
  owed: Set<string>
  isGone: boolean
  imageUrl: string | undefined
}

/** Everything that was promised, by the name of the planet, which is also the path of its callback URL. */
export class Ledger {
  readonly planets = new Map<string, Promised>()
  /** What was not as it should be, each in a line. */
  readonly faults: string[] = []
  requests = 0
  callbacks = 0
  universes = 0
  /** Callbacks that arrived before the response to the creation. */
  readonly #early = new Map<string, string>()

  /** A creation was answered with 201. */
  promise(name: string, id: number): void {
    const owed = new Set(['planetCreated'])
    const early = this.#early.get(name)
    if (early !== undefined) owed.delete(early)
    this.#early.delete(name)
    this.planets.set(name, { id, owed, isGone: false, imageUrl: undefined })
  }

  /** A planet will be exploded now. */
  expectEnd(name: string): void {
    const planet = this.#planet(name)
    planet.owed.add('planetExploded')
    planet.isGone = true
  }

  /** A planet has this picture now. */
  expectImage(name: string, imageUrl: string): void {
    this.#planet(name).imageUrl = imageUrl
  }

  /** A callback has arrived. One may arrive more than once. */
  note(name: string, event: string): void {
    this.callbacks++
    const planet = this.planets.get(name)
    if (planet) planet.owed.delete(event)
    else this.#early.set(name, event)
  }

  /** The callbacks that were promised and have not arrived. */
  owed(): string[] {
    return [...this.planets].flatMap(([name, { owed }]) => [...owed].map((event) => `${event} of ${name}`))
  }

  #planet(name: string): Promised {
    const planet = this.planets.get(name)
    if (!planet) throw new Error(`nothing was promised about ${name}`)
    return planet
  }
}

/** Opens a receiver of callbacks that notes them in the ledger. */
export async function openNotary(ledger: Ledger): Promise<{ url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      ledger.note(request.url?.slice(1) ?? '', String(request.headers['x-galaxy-event']))
      response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${address.port}`, close }
}
