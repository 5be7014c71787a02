import { setTimeout } from 'node:timers/promises'
import { isLosslessNumber, parse } from 'lossless-json'
import type { Answer, BenchDocument, Entry, Located, Schema } from './document.ts'
import type { ClientCalls } from './known-calls.ts'
import { BOUNDARY } from './multipart.ts'
import { readEvents, readLines, readParts, readSequence, type StreamEvent } from './streams.ts'
import { CalendarDate, isList, isMembers, type Members, NamedFile, type Value } from './values.ts'
import { isJson, itemOf, RequestWriter } from './writer.ts'
import { readXml } from './xml.ts'

export interface Message {
  method: string
  url: URL
  headers: Readonly<Record<string, string>>
  body?: Uint8Array | undefined
}

/** Sends a request, and follows no redirect. */
export async function fetchOnce({ method, url, headers, body }: Message): Promise<Response> {
  return await fetch(url, { method, headers, body: body ? Buffer.from(body) : null, redirect: 'manual' })
}

/** What was decoded of a response. */
interface Decoded {
  response: Response
  answer: Answer
  schema: Schema
  value: Value | undefined
}

/** This many times a request is sent for one call. */
const MOST_ATTEMPTS = 3
const MOST_REDIRECTS = 5
/** A timer may end a little too early. */
const MARGIN_MS = 20

/**
 * A client for any document of OpenAPI 3.1 or 3.2: it writes requests, decodes responses, follows redirects, and retries as it
 * is told. It is tried on the laboratory, and has no code in common with it. To break it, override a method.
 */
export class ReferenceClient extends RequestWriter {
  readonly #bench: string
  readonly #calls: ClientCalls | undefined

  /**
   * @param bench A base URL, `{base}/lab/try` or `{base}/lab/runs/{runId}`
   * @param calls Knows what need not be sent
   */
  constructor(bench: string, document: BenchDocument, calls?: ClientCalls) {
    super(document)
    this.#bench = bench
    this.#calls = calls
  }

  /** Calls the operation of a case. Of `response`, it sends what it decoded. */
  async call({ operationId, input }: Entry): Promise<void> {
    const first = this.document.find(`${operationId}First`)
    if (first) await this.#send(first, {})
    const operation = this.document.find(operationId)
    if (!operation) throw new Error(`There is no operation ${operationId}.`)
    const parameters = Object.entries(input.parameters).map(([place, values]) => [place, this.fromInput(values)])
    const body = input.body && { mediaType: input.body.mediaType, value: this.fromInput(input.body.value) }
    const instead = operation.requestBody && this.insteadOfBody
    const response = await this.#send(operation, this.arrange(Object.fromEntries(parameters)), body ?? instead)
    const report = this.document.find(`${operationId}Report`)
    if (!report) return
    const [[mediaType, { schema = {} }] = ['', {}]] = Object.entries(report.requestBody?.content ?? {})
    const decoded = await this.decode(operation, response)
    await this.#send(report, {}, { mediaType, value: this.#toReport(decoded, schema) })
  }

  /** The values of parameters by place and name. */
  protected arrange(values: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
    return values
  }

  /** The value of a tag of the catalogue. */
  protected fromInput(input: unknown): Value {
    if (Array.isArray(input)) return input.map((item) => this.fromInput(item))
    if (typeof input !== 'object' || input === null) return input as Value
    const { $int64, $date, $dateTime, $bytes, $file } = input as Record<string, unknown>
    if ($int64 !== undefined) return this.toInteger(String($int64))
    if ($date !== undefined) return new CalendarDate(String($date))
    if ($dateTime !== undefined) return new Date(String($dateTime))
    if ($bytes !== undefined) return Buffer.from(String($bytes), 'base64')
    if ($file !== undefined) {
      const { name, type, bytes } = $file as { name: string; type: string; bytes: string }
      return new NamedFile(name, type, Buffer.from(bytes, 'base64'))
    }
    return Object.fromEntries(Object.entries(input).map(([name, member]) => [name, this.fromInput(member)]))
  }

  async #send(
    operation: Located,
    values: Readonly<Record<string, Value>>,
    body?: { mediaType: string; value: Value },
  ): Promise<Response> {
    const { parameters = [], path, method, requestBody, responses } = operation
    const valuesIn = (place: string) => (values[place] ?? {}) as Members
    const written = (place: 'path' | 'query' | 'querystring' | 'cookie') =>
      this.given(parameters, place, valuesIn(place)).map(
        ([parameter, value]) => [parameter.name, this.writeParameter(parameter, value)] as const,
      )
    const target = this.fillPath(path, written('path'))
    const query = [...written('query'), ...written('querystring')].map(([, text]) => text)
    const cookies = written('cookie').map(([, text]) => text)
    const headers: Record<string, string> = {
      Accept: this.accept(Object.values(responses).flatMap(({ content = {} }) => Object.keys(content))),
    }
    if (method === 'POST') headers['Idempotency-Key'] = crypto.randomUUID()
    // These are described elsewhere in a document (OpenAPI 3.1.2, "Parameter Object").
    const own = parameters.filter(({ name }) => !/^(?:accept|content-type|authorization)$/i.test(name))
    for (const [parameter, value] of this.given(own, 'header', valuesIn('header'))) {
      headers[parameter.name] = this.writeHeader(parameter, value)
    }
    if (cookies.length > 0) headers.Cookie = this.joinCookies(cookies)
    const message = {
      method,
      url: new URL(this.#bench + target + (query.length > 0 ? `?${query.join('&')}` : '')),
      headers,
      body: body && this.isGiven(body.value) ? this.#write(requestBody?.content ?? {}, body, headers) : undefined,
    }
    return await this.#follow(await this.#attempt(message), message)
  }

  /** @param values By name, in the order of the document */
  protected fillPath(path: string, values: readonly (readonly [name: string, text: string])[]): string {
    let filled = path
    for (const [name, text] of values) filled = filled.replace(`{${name}}`, () => text)
    return filled
  }

  /** What is sent if a body is not given. */
  protected get insteadOfBody(): { mediaType: string; value: Value } | undefined {
    return undefined
  }

  #write(
    content: NonNullable<Located['requestBody']>['content'],
    { mediaType, value }: { mediaType: string; value: Value },
    headers: Record<string, string>,
  ): Uint8Array {
    const contentType = this.contentTypeOf(mediaType)
    const boundary = mediaType.startsWith('multipart/') ? `; boundary=${BOUNDARY}` : ''
    if (contentType !== undefined) headers['Content-Type'] = contentType + boundary
    return this.writeBody(mediaType, content[mediaType] ?? {}, value)
  }

  protected accept(mediaTypes: readonly string[]): string {
    return [...new Set(mediaTypes)].join(', ')
  }

  /** Sends a request once. */
  protected async fetch(message: Message): Promise<Response> {
    return this.#calls ? await this.#calls.send(message, fetchOnce) : await fetchOnce(message)
  }

  /** Whether a request with this response is sent again. */
  protected isRetried(status: number): boolean {
    return status === 429 || status === 503
  }

  /** The time until a request is sent again, in milliseconds (RFC 9110, 10.2.3). */
  protected waitFor(response: Response): number {
    const after = response.headers.get('Retry-After') ?? '0'
    const wait = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now()
    return Math.max(0, wait) + MARGIN_MS
  }

  /** The headers of a further attempt. */
  protected headersAgain(headers: Message['headers']): Message['headers'] {
    return headers
  }

  /** Sends a request, again if it should be, or if no response arrived: with its key, it is done only once. */
  async #attempt(message: Message): Promise<Response> {
    let current = message
    for (let attempt = 1; ; attempt++) {
      const response = await this.fetch(current).catch((error) => {
        if (attempt === MOST_ATTEMPTS) throw error
      })
      if (response && (attempt === MOST_ATTEMPTS || !this.isRetried(response.status))) return response
      if (response) {
        await response.body?.cancel()
        await setTimeout(this.waitFor(response))
      }
      current = { ...message, headers: this.headersAgain(message.headers) }
    }
  }

  protected methodAfter(status: number, method: string): string {
    const becomesGet = (status === 303 && method !== 'HEAD') || (status < 303 && method === 'POST')
    return becomesGet ? 'GET' : method
  }

  protected targetOf(location: string, url: URL): URL {
    return new URL(location, url)
  }

  protected isRedirected(status: number): boolean {
    return [301, 302, 303, 307, 308].includes(status)
  }

  /** Follows redirects (RFC 9110, 15.4). */
  async #follow(first: Response, message: Message): Promise<Response> {
    let [response, current] = [first, message]
    for (let count = 0; count < MOST_REDIRECTS && this.isRedirected(response.status); count++) {
      await response.body?.cancel()
      const method = this.methodAfter(response.status, current.method)
      const url = this.targetOf(response.headers.get('Location') ?? '', current.url)
      const { 'Content-Type': _, ...withoutType } = current.headers
      current = method === current.method ? { ...current, url } : { method, url, headers: withoutType, body: undefined }
      response = await this.fetch(current)
    }
    return response
  }

  /** Decodes a response as the document describes its status. */
  protected async decode({ responses }: Located, response: Response): Promise<Decoded> {
    const { status } = response
    const answer = responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default ?? {}
    const [[mediaType, { schema = {}, itemSchema }] = ['', {}]] = Object.entries(answer.content ?? {})
    if (itemSchema) {
      const items = await this.readItems(mediaType, response)
      const own = this.document.resolve(itemSchema)
      return { response, answer, schema, value: items.map((item) => this.fromJson(item, own)) }
    }
    const resolved = this.document.resolve(schema)
    const decoded = { response, answer, schema }
    if (mediaType === '') return { ...decoded, value: undefined }
    if (isJson(mediaType)) return { ...decoded, value: this.fromJson(parse(await response.text()), resolved) }
    if (mediaType.endsWith('/xml')) {
      const members = readXml(this.document, await response.text(), resolved)
      return { ...decoded, value: this.fromJson(members, resolved) }
    }
    if (mediaType.startsWith('text/')) return { ...decoded, value: await response.text() }
    return { ...decoded, value: await response.bytes() }
  }

  /** The data of an event, from its lines. */
  protected dataOf(lines: readonly string[]): readonly string[] {
    return [lines.join('\n')]
  }

  protected fromComment(_text: string): StreamEvent | undefined {
    return undefined
  }

  /** What ends a line of JSON. */
  protected get lineEnd(): RegExp {
    return /\n/
  }

  /** Whether a line is read that has no end. */
  protected get keepsRest(): boolean {
    return true
  }

  /** The items of a stream, as JSON. */
  protected async readItems(mediaType: string, { headers, body }: Response): Promise<readonly unknown[]> {
    const pieces = body ?? new ReadableStream<Uint8Array>()
    switch (mediaType) {
      case 'text/event-stream':
        return await readEvents(pieces, {
          dataOf: (lines) => this.dataOf(lines),
          fromComment: (text) => this.fromComment(text),
        })
      case 'application/json-seq':
        return (await readSequence(pieces)).map((text) => parse(text))
      case 'multipart/mixed': {
        const [, boundary = ''] = /boundary="([^"]*)"/.exec(headers.get('Content-Type') ?? '') ?? []
        return (await readParts(pieces, boundary)).map((text) => parse(text))
      }
      default:
        return (await readLines(pieces, this.lineEnd, this.keepsRest)).map((text) => parse(text))
    }
  }

  /** @throws Error if the client does not take an object that lacks a member */
  protected requireMembers(_members: Readonly<Record<string, Schema>>, _json: object): void {}

  /** Whether a member of a response is decoded. */
  protected isRead(_schema: Schema): boolean {
    return true
  }

  /** What becomes of a member that the schema does not name. */
  protected fromUnknownMember(_name: string): Value | undefined {
    return undefined
  }

  protected toDate(text: string): Date {
    return new Date(text)
  }

  protected toNumber(text: string): number {
    return Number(text)
  }

  /** A value of JSON, of the type that its schema has. */
  protected fromJson(json: unknown, schema: Schema): Value {
    if (json === null) return null
    const kindOf = (member: string) => (json as Record<string, unknown>)[member]
    const { type, format, contentEncoding, additionalProperties, ...described } = this.document.choose(schema, kindOf)
    if (Array.isArray(json)) return json.map((item, index) => this.fromJson(item, itemOf(described, index)))
    if (isLosslessNumber(json) || type === 'integer') {
      const text = String(json)
      return format === 'int64' ? this.toInteger(text) : this.toNumber(text)
    }
    if (typeof json === 'string') {
      if (format === 'date-time') return this.toDate(json)
      if (format === 'date') return new CalendarDate(json)
      const { contentSchema } = described
      if (contentSchema) return this.fromJson(parse(json), this.document.resolve(contentSchema))
      return contentEncoding ? Buffer.from(json, contentEncoding) : json
    }
    if (typeof json !== 'object') return json as Value
    const members = this.document.membersOf(described)
    this.requireMembers(members, json)
    const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
    const decoded = Object.entries(json).flatMap(([name, member]) => {
      const memberSchema = members[name] ?? others
      if (memberSchema && !this.isRead(memberSchema)) return []
      // Nothing is known about a kind that is not mapped.
      const isKnown = memberSchema !== undefined || type === undefined
      const value = isKnown ? this.fromJson(member, memberSchema ?? {}) : this.fromUnknownMember(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(decoded)
  }

  /** What PUT carries: the value, or a report of the response, its headers and its body. */
  #toReport({ response, answer, schema, value }: Decoded, wanted: Schema): Value {
    if (value !== undefined && (!isMembers(value) || isList(value) || schema.$ref === wanted.$ref)) return value
    const members = Object.keys(this.document.membersOf(wanted)).map((name) => {
      if (name === 'status') return [name, response.status]
      const header = `X-${name.replace(/^./, (letter) => letter.toUpperCase())}`
      const described = answer.headers?.[header]
      return [name, described ? this.#fromHeader(response.headers.get(header) ?? '', described.schema) : value?.[name]]
    })
    return Object.fromEntries(members)
  }

  #fromHeader(text: string, schema: Schema): Value {
    return schema.type === 'array' ? text.split(',').map((item) => item.trim()) : this.fromJson(text, schema)
  }
}
