import { stringify } from 'lossless-json'
import { parseTemplate } from 'url-template'
import type { BenchDocument, Encoding, ItemEncoding, MediaType, Parameter, Schema, Style } from './document.ts'
import { INNER_BOUNDARY, type Part, writeMultipart } from './multipart.ts'
import { CalendarDate, isList, isMembers, type Members, NamedFile, type Value } from './values.ts'
import { writeXml } from './xml.ts'

/** What a parameter may be for the library of RFC 6570. */
type Plain = string | string[] | Record<string, string>

/** How the place of a parameter writes it, if its description does not say it (OpenAPI 3.1.2, "Parameter Object"). */
const DEFAULT_STYLES = {
  path: 'simple',
  query: 'form',
  querystring: 'form',
  header: 'simple',
  cookie: 'form',
} as const

/** Writes requests as a document of OpenAPI describes them. Each method is a habit that a broken client may not have. */
export class RequestWriter {
  protected readonly document: BenchDocument

  constructor(document: BenchDocument) {
    this.document = document
  }

  /** Whether a value is written. */
  protected isGiven(value: Value | undefined): value is Value {
    return value !== undefined
  }

  /** What is written for a parameter, a member of a form or a part that is not given. */
  protected get insteadOfAbsent(): string | undefined {
    return undefined
  }

  /** What is written for an optional member of JSON that is not given. */
  protected insteadOfAbsentMember(_schema: Schema): null | undefined {
    return undefined
  }

  protected toInteger(text: string): bigint | number {
    return BigInt(text)
  }

  protected writeDate({ text }: CalendarDate): string {
    return text
  }

  protected writeBoolean(value: boolean): string {
    return String(value)
  }

  protected writeTime(time: Date): string {
    return time.toISOString().replace('Z', '+00:00')
  }

  /** A text outside of JSON. */
  protected writeText(text: string): string {
    return text
  }

  protected toWritten(value: number): number {
    return value
  }

  /** The text of a value without parts. */
  protected textOf(value: Value): string {
    if (typeof value === 'boolean') return this.writeBoolean(value)
    if (typeof value === 'string') return this.writeText(value)
    if (typeof value === 'number') return String(this.toWritten(value))
    if (value instanceof Date) return this.writeTime(value)
    return value instanceof CalendarDate ? this.writeDate(value) : String(value)
  }

  /** A text before it is written into a URL or a form. */
  protected prepare(text: string): string {
    return text
  }

  /** A part of a URL or a form after it was written. */
  protected finish(written: string, _place: Parameter['in'] | 'form'): string {
    return written
  }

  /** The name of a parameter or a member, as it is sent. */
  protected nameOf(name: string): string {
    return name
  }

  /** The name of a list's items, if each has it. */
  protected nameOfItems(name: string): string {
    return name
  }

  /** Whether the items of a list, or the members of an object, are written one by one. */
  protected isExploded(style: Style, _value: Value): boolean {
    return style.explode ?? (style.style === 'form' || style.style === 'cookie')
  }

  protected toPlain(value: Value): Plain {
    const write = (part: Value) => this.prepare(this.textOf(part))
    if (isList(value)) return value.map(write)
    if (!isMembers(value)) return write(value)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, write(member)]))
  }

  protected styleOf({ style }: Style): string | undefined {
    return style
  }

  /** A value in its style (OpenAPI 3.1.2, "Style Values"). With `form` and `matrix`, its name is written too. */
  protected expand(name: string, style: Style, value: Value): string {
    const isExploded = this.isExploded(style, value)
    const plain = this.toPlain(value)
    const own = isExploded && isList(value) ? this.nameOfItems(name) : this.nameOf(name)
    const star = isExploded ? '*' : ''
    const write = (template: string, of: Plain = plain) => parseTemplate(template).expand({ [own]: of })
    switch (this.styleOf(style)) {
      case 'simple':
        return write(`{${style.allowReserved ? '+' : ''}${own}${star}}`)
      case 'label':
        return this.writeLabel(write, own, star)
      case 'matrix':
        return write(`{;${own}${star}}`)
      case 'cookie':
        return this.writeRawCookie(own, isArray(plain) ? plain : [String(plain)], isExploded)
      case 'spaceDelimited':
        return write(`{&${own}}`, this.joinWith(' ', plain)).slice(1)
      case 'pipeDelimited':
        return write(`{&${own}}`, this.joinWith('|', plain)).slice(1)
      case 'deepObject':
        return write(`{&${own}*}`, this.nameDeeply(own, plain)).slice(1)
      default:
        return style.allowReserved ? `${own}=${write(`{+${own}}`)}` : write(`{&${own}${star}}`).slice(1)
    }
  }

  /** A cookie, or several with one name, in which nothing is encoded. */
  protected writeRawCookie(name: string, values: readonly string[], isExploded: boolean): string {
    return isExploded ? values.map((value) => `${name}=${value}`).join('; ') : `${name}=${values.join(',')}`
  }

  protected writeLabel(write: (template: string) => string, name: string, star: string): string {
    return write(`{.${name}${star}}`)
  }

  private joinWith(separator: string, plain: Plain): string {
    return typeof plain === 'string' ? plain : (isArray(plain) ? plain : Object.entries(plain).flat()).join(separator)
  }

  private nameDeeply(name: string, plain: Plain): Plain {
    if (typeof plain === 'string' || isArray(plain)) return plain
    return Object.fromEntries(Object.entries(plain).map(([member, value]) => [`${name}[${member}]`, value]))
  }

  /** A parameter of a path, a query or a cookie. */
  protected writeParameter(parameter: Parameter, value: Value): string {
    const { name, content } = parameter
    const [[mediaType, media] = ['', undefined]] = Object.entries(content ?? {})
    if (media && parameter.in === 'querystring') {
      const whole = Buffer.from(this.writeBody(mediaType, media, value)).toString()
      return isJson(mediaType) ? this.finish(encodeURIComponent(whole), parameter.in) : whole
    }
    const written = media
      ? this.expand(name, { style: 'form' }, this.writeJson(value, media.schema ?? {}))
      : this.expand(name, { ...parameter, style: parameter.style ?? DEFAULT_STYLES[parameter.in] }, value)
    return this.finish(written, parameter.in)
  }

  /** A header is written as `simple`, but not encoded (OpenAPI 3.1.2, "Style Values"). */
  protected writeHeader(parameter: Parameter, value: Value): string {
    return decodeURIComponent(this.expand(parameter.name, { ...parameter, style: 'simple' }, value))
  }

  protected joinCookies(cookies: readonly string[]): string {
    return cookies.join('; ')
  }

  /** The parameters of a place that are written, each with its value. */
  protected given(
    parameters: readonly Parameter[],
    place: Parameter['in'],
    values: Members,
  ): readonly [Parameter, Value][] {
    return parameters.flatMap((parameter) => {
      const given = values[parameter.name]
      const value = this.isGiven(given) ? given : this.insteadOfAbsent
      return parameter.in === place && value !== undefined ? [[parameter, value] as [Parameter, Value]] : []
    })
  }

  protected writeBytes(bytes: Uint8Array, alphabet: 'base64' | 'base64url'): unknown {
    return Buffer.from(bytes).toString(alphabet)
  }

  /** The members that JSON has of an object: those that its schema names, in its order, and all others. */
  protected namesOf(schema: Schema, value: Members): readonly string[] {
    const described = this.document.membersOf(this.document.choose(schema, (member) => value[member]))
    return [...new Set([...Object.keys(described), ...Object.keys(value)])]
  }

  /** A value without parts in JSON, of the schema that it has. */
  protected writePlain(value: string | number | bigint | boolean | null, _schema: Schema): unknown {
    return typeof value === 'number' ? this.toWritten(value) : value
  }

  /** The value as a writer of JSON takes it, that knows big integers. */
  protected forJson(value: Value, schema: Schema): unknown {
    if (value instanceof Uint8Array) return this.writeBytes(value, schema.contentEncoding ?? 'base64')
    if (isList(value)) {
      return value.map((item, index) => this.forJson(item, this.document.resolve(itemOf(schema, index))))
    }
    if (value === null || typeof value !== 'object') return this.writePlain(value, schema)
    if (!isMembers(value)) return this.textOf(value)
    const described = this.document.membersOf(this.document.choose(schema, (member) => value[member]))
    const members = this.namesOf(schema, value).flatMap((name) => {
      const [own, memberSchema] = [value[name], described[name] ?? {}]
      const instead = this.insteadOfAbsentMember(memberSchema)
      if (this.isGiven(own)) return [[this.nameOf(name), this.forJson(own, this.document.resolve(memberSchema))]]
      return instead === undefined ? [] : [[this.nameOf(name), instead]]
    })
    return Object.fromEntries(members)
  }

  protected writeJson(value: Value, schema: Schema): string {
    return stringify(this.forJson(value, this.document.resolve(schema))) ?? ''
  }

  /** The body of a text of JSON. */
  protected writeJsonBody(value: Value, schema: Schema): string {
    return this.writeJson(value, schema)
  }

  protected writePlainText(value: Value): string {
    return this.textOf(value)
  }

  protected toBytes(text: string): Uint8Array {
    return Buffer.from(text)
  }

  /** The bytes of a file or of a body. */
  protected writeRaw(bytes: Uint8Array): Uint8Array {
    return bytes
  }

  /** The media type that a body is sent with. */
  protected contentTypeOf(mediaType: string): string | undefined {
    return mediaType
  }

  protected writeXml(value: Value, schema: Schema): string {
    return writeXml(this.document, value, schema, (own) => this.textOf(own))
  }

  /** The items of a list as lines of JSON. */
  protected writeLines(items: readonly Value[], schema: Schema): string {
    return items.map((item) => `${this.writeJson(item, schema)}\n`).join('')
  }

  /** Parts without names. */
  protected inOrder(parts: readonly Part[]): readonly Part[] {
    return parts
  }

  protected typeOfItem(type: string | undefined): string | undefined {
    return type
  }

  /** A list as parts, by their position (OpenAPI 3.2.0, "Encoding By Position"). */
  private toItems(
    values: readonly Value[],
    schema: Schema,
    { prefixEncoding = [], itemEncoding = {} }: Pick<ItemEncoding, 'prefixEncoding' | 'itemEncoding'>,
  ): readonly Part[] {
    const described = this.document.resolve(schema)
    const parts = values.map((value, index): Part => {
      const own = itemOf(described, index)
      const { contentType, ...inner } = prefixEncoding[index] ?? itemEncoding
      if (contentType?.startsWith('multipart/') && isList(value)) {
        const content = writeMultipart(this.toItems(value, own, inner), INNER_BOUNDARY)
        return { contentType: this.typeOfItem(`${contentType}; boundary=${INNER_BOUNDARY}`), content }
      }
      const isJsonItem = contentType === undefined && (isMembers(value) || isList(value))
      const content = this.toBytes(isJsonItem ? this.writeEmbeddedJson(value, own) : this.textOf(value))
      return { contentType: this.typeOfItem(contentType ?? (isJsonItem ? 'application/json' : undefined)), content }
    })
    return this.inOrder(parts)
  }

  protected writeBody(mediaType: string, media: MediaType, value: Value): Uint8Array {
    const { schema = {}, itemSchema, encoding = {} } = media
    if (value instanceof Uint8Array) return this.writeRaw(value)
    if (itemSchema && isList(value)) return this.toBytes(this.writeLines(value, itemSchema))
    if (mediaType === 'multipart/mixed' && isList(value)) return writeMultipart(this.toItems(value, schema, media))
    if (isJson(mediaType)) return this.toBytes(this.writeJsonBody(value, schema))
    if (mediaType.endsWith('/xml')) {
      return this.toBytes(this.writeXml(value, schema))
    }
    if (!isMembers(value)) return this.toBytes(this.writePlainText(value))
    const members = this.membersOfForm(schema, value)
    return mediaType === 'multipart/form-data'
      ? writeMultipart(members.flatMap((member) => this.toParts(...member, encoding[member[0]] ?? {})))
      : this.toBytes(members.map((member) => this.writeField(...member, encoding[member[0]] ?? {})).join('&'))
  }

  private membersOfForm(schema: Schema, values: Members): readonly [name: string, schema: Schema, value: Value][] {
    return Object.entries(this.document.membersOf(schema)).flatMap(([name, described]) => {
      const value = this.isGiven(values[name]) ? values[name] : this.insteadOfAbsent
      return value === undefined ? [] : [[name, described, value] as [string, Schema, Value]]
    })
  }

  /** JSON in a form or in a part. */
  protected writeEmbeddedJson(value: Value, schema: Schema): string {
    return this.writeJson(value, schema)
  }

  /** A member of a form. An object is JSON if nothing else is said (OpenAPI 3.1.2, "Encoding Object"). */
  private writeField(name: string, schema: Schema, value: Value, encoding: Encoding): string {
    const isJsonField = encoding.contentType !== undefined || (isMembers(value) && encoding.style === undefined)
    const written = isJsonField
      ? this.expand(name, { style: 'form' }, this.writeEmbeddedJson(value, schema))
      : this.expand(name, { style: 'form', ...encoding }, value)
    return this.finish(written, 'form')
  }

  protected typeOfJsonPart(): string | undefined {
    return 'application/json'
  }

  protected fileNameOf({ name }: NamedFile): string | undefined {
    return name
  }

  /** Whether a list is a part for each of its items: in OpenAPI 3.2 whatever their type is ("Encoding By Name"). */
  protected isSplit({ contentType }: Encoding): boolean {
    return contentType === undefined || this.document.version === '3.2'
  }

  private toParts(name: string, schema: Schema, value: Value, encoding: Encoding): readonly Part[] {
    const { contentType, headers = {} } = encoding
    if (isList(value) && this.isSplit(encoding)) {
      const { items = {} } = this.document.resolve(schema)
      return value.flatMap((item) => this.toParts(this.nameOfItems(name), items, item, encoding))
    }
    const more = Object.entries(headers).map(([field, { example }]) => [field, String(example)] as const)
    if (value instanceof NamedFile) {
      const filename = this.fileNameOf(value)
      return [
        { name, filename, contentType: contentType ?? value.type, headers: more, content: this.writeRaw(value.bytes) },
      ]
    }
    if (isMembers(value) || isList(value) || contentType === 'application/json') {
      const content = this.toBytes(this.writeEmbeddedJson(value, schema))
      return [{ name, contentType: this.typeOfJsonPart(), headers: more, content }]
    }
    return [{ name, headers: more, content: this.toBytes(this.textOf(value)) }]
  }
}

const isArray = (plain: Plain): plain is string[] => Array.isArray(plain)

export const isJson = (mediaType: string) => /[/+]json$/.test(mediaType)

export const itemOf = ({ prefixItems, items }: Schema, index: number): Schema => prefixItems?.[index] ?? items ?? {}
