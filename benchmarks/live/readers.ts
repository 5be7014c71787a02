import { type ClientRequest, get } from 'node:http'
import { requirePackage } from '../performance/packages.ts'

const { WebSocket: Ws } = requirePackage('ws')

/** The events of one kind, in the order in which they reach the first reader. Every other reader must agree with it. */
export class Sequence {
  readonly #ordinals = new Map<string, number>()

  /** The place of an event. */
  ordinalOf(id: string): number {
    const known = this.#ordinals.get(id)
    if (known !== undefined) return known
    const ordinal = this.#ordinals.size
    this.#ordinals.set(id, ordinal)
    return ordinal
  }

  get length(): number {
    return this.#ordinals.size
  }
}

/** Called with the text of an event, when it arrives. */
type Note = (text: string) => void

/** A reader. If it gets each event once and in order, each is the one after the last. */
export interface Reader {
  sequence: Sequence
  /** How many events have arrived that were the next ones. */
  count: number
  /** How many have arrived that were not: twice, out of order, or after a missing one. */
  strays: number
  /** The id of the last event. */
  lastId: string | undefined
  /** How often the service has ended the connection, so that the reader has connected again. */
  returns: number
  close(): void
}

/** The id of an event is the first member of its frame and of its item. */
const EVENT_ID = /^\{"(?:eventId|id)":"([^"]+)"/

function makeReader(sequence: Sequence): Reader {
  return { sequence, count: 0, strays: 0, lastId: undefined, returns: 0, close: () => {} }
}

function note(reader: Reader, text: string, alsoNote: Note | undefined): void {
  const id = EVENT_ID.exec(text)?.[1]
  if (id === undefined) return
  if (reader.sequence.ordinalOf(id) === reader.count) reader.count++
  else reader.strays++
  reader.lastId = id
  alsoNote?.(text)
}

let addresses = 0

function nextAddress(): string {
  const number = addresses++
  return `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`
}

/** A socket sends a `ping` after it has received so many bytes. */
const PING_BYTES = 32 * 1024

/**
 * Opens a socket on the channel of celestial bodies. Every socket has an address of its own, because one address may not
 * have so many. If the service closes it, it is opened again after its last event, as clients do.
 */
export async function openSocket(url: string, sequence: Sequence, alsoNote?: Note): Promise<Reader> {
  const reader = makeReader(sequence)
  await connect(reader, `${url.replace('http', 'ws')}/ws/v1/celestial-bodies/events`, nextAddress(), alsoNote)
  return reader
}

function connect(reader: Reader, url: string, address: string, alsoNote: Note | undefined): Promise<void> {
  const { lastId } = reader
  const socket = new Ws(lastId === undefined ? url : `${url}?lastEventId=${lastId}`, {
    perMessageDeflate: false,
    headers: { 'CF-Connecting-IP': address },
  })
  let unconfirmed = 0
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => {
      reader.returns++
      // A reader that cannot come back lacks events in the end.
      connect(reader, url, address, alsoNote).catch(() => {})
    })
    reader.close = () => {
      socket.removeAllListeners('close')
      socket.terminate()
    }
    socket.on('message', (data: Buffer) => {
      note(reader, data.toString(), alsoNote)
      unconfirmed += data.byteLength
      if (unconfirmed >= PING_BYTES) {
        socket.send('ping')
        unconfirmed = 0
      }
      // The first frame is the acknowledgement.
      resolve()
    })
  })
}

/** Opens a stream of server-sent events. */
export function openStream(url: string, sequence: Sequence, alsoNote?: Note): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const request: ClientRequest = get(`${url}/planets/events`, { agent: false }, (response) => {
      let rest = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n')
        rest = lines.pop() ?? ''
        for (const line of lines) if (line.startsWith('data: ')) note(reader, line.slice('data: '.length), alsoNote)
        // The first line is a comment.
        resolve(reader)
      })
      response.on('error', () => {})
    })
    const reader = makeReader(sequence)
    reader.close = () => request.destroy()
    request.on('error', reject)
  })
}
