import { dereference, type Schema as JsonSchema, validate } from '@cfworker/json-schema'

// Compares what arrives on sockets with an AsyncAPI document. It reads the document as any tool would, and knows
// nothing of the code that the document is generated from.

type Node = Record<string, unknown>

export interface FrameOptions {
  /** Whether the socket has the subprotocol `galaxy.envelope.v1`. */
  envelope?: boolean
}

export class LiveConformance {
  readonly #document: Node
  readonly #judge: Judge

  /** @param document An AsyncAPI document */
  constructor(document: object) {
    this.#document = { ...document }
    this.#judge = new Judge(child(child(this.#document, 'components'), 'schemas') ?? {}, '7')
  }

  /**
   * @param channel The name of the channel in the document, such as `planetEvents`
   * @param text A frame that the service has sent
   * @returns The differences between the frame and the document, in words; none if it conforms
   */
  findFaults(channel: string, text: string, { envelope = false }: FrameOptions = {}): string[] {
    const messages = this.#messagesOf(channel)
    if (messages.length === 0) return [`no client receives anything on a channel ${channel}`]
    const frame: unknown = JSON.parse(text)
    return envelope ? this.#checkEnvelope(asNode(frame), messages) : this.#checkPayload(frame, messages)
  }

  /** The differences between a message and its examples. */
  findExampleFaults(message: Node): string[] {
    return [message.examples ?? []].flat().flatMap((example) => {
      const { payload, headers } = asNode(example) ?? {}
      return [...this.#checkPayload(payload, [message]), ...this.#checkHeaders(headers, message)]
    })
  }

  /** What a client receives on the socket of a channel: the messages of what it receives there, and the replies. */
  #messagesOf(channel: string): Node[] {
    const operations = Object.values(child(this.#document, 'operations') ?? {}).map((one) => asNode(one) ?? {})
    const own = operations.filter((operation) => child(operation, 'channel')?.$ref === `#/channels/${channel}`)
    const references = own.flatMap((operation) => [
      ...(operation.action === 'receive' ? [operation.messages ?? []].flat() : []),
      ...[child(operation, 'reply')?.messages ?? []].flat(),
    ])
    return references.map((reference) => this.#resolve(asNode(reference)) ?? {})
  }

  #checkEnvelope(frame: Node | undefined, messages: readonly Node[]): string[] {
    const { payload, headers, ...others } = frame ?? {}
    const unknown = Object.keys(others).map((name) => `the frame has a member ${name}`)
    const [message] = messages
    return [...unknown, ...this.#checkPayload(payload, messages), ...this.#checkHeaders(headers, message ?? {})]
  }

  #checkHeaders(headers: unknown, message: Node): string[] {
    const traits = [message.traits ?? []].flat().map((trait) => this.#resolve(asNode(trait)))
    return traits.flatMap((trait) =>
      this.#judge.findFaults(child(trait, 'headers') ?? {}, headers).map((fault) => `headers ${fault}`),
    )
  }

  /**
   * The faults of a payload as the message that fits best: that of its type of event, or the one with the fewest
   * faults.
   */
  #checkPayload(payload: unknown, messages: readonly Node[]): string[] {
    const results = messages.map((message) => {
      const faults = this.#judge.findFaults(child(message, 'payload') ?? {}, payload)
      const isOther = faults.some((fault) => fault.startsWith('#/eventType: '))
      return { isOther, faults: faults.map((fault) => `as ${message.name}: ${fault}`) }
    })
    const [best] = results.toSorted(
      (a, b) => Number(a.isOther) - Number(b.isOther) || a.faults.length - b.faults.length,
    )
    return best?.faults ?? []
  }

  #resolve(node: Node | undefined): Node | undefined {
    if (typeof node?.$ref !== 'string') return node
    const steps = node.$ref.replace('#/', '').split('/')
    return this.#resolve(steps.reduce<Node | undefined>(child, this.#document))
  }
}

/** Judges values by schemas that may refer to components. */
export class Judge {
  readonly #lookup: ReturnType<typeof dereference>
  readonly #draft: '7' | '2020-12'
  readonly #schemas = new Map<string, JsonSchema>()

  constructor(components: object, draft: '7' | '2020-12') {
    this.#lookup = dereference({ components: { schemas: components } })
    this.#draft = draft
  }

  findFaults(schema: object, value: unknown): string[] {
    const { errors } = validate(value, this.#prepare(schema), this.#draft, this.#lookup, false)
    return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)
  }

  #prepare(schema: object): JsonSchema {
    const key = JSON.stringify(schema)
    const known = this.#schemas.get(key)
    if (known) return known
    const prepared: JsonSchema = JSON.parse(key)
    dereference(prepared, this.#lookup, undefined, `/schemas/${this.#schemas.size}`)
    this.#schemas.set(key, prepared)
    return prepared
  }
}

function child(node: Node | undefined, key: string): Node | undefined {
  return asNode(node?.[key])
}

function asNode(value: unknown): Node | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined
}
