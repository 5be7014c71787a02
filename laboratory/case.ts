// What the suite declares, what the judge compares, and what the documents describe. Types only, and the names of the
// groups and of the versions of OpenAPI.

/** The groups of cases, in the order of the catalogue. */
export const GROUPS = [
  'path',
  'query',
  'header',
  'cookie',
  'form',
  'multipart',
  'body',
  'xml',
  'response',
  'redirect',
  'retry',
] as const
export type Group = (typeof GROUPS)[number]

/** `core`: specified and in daily use. `extended`: specified and rare. `open`: left to implementations. */
export type Level = 'core' | 'extended' | 'open'

/** The versions of OpenAPI in which the cases are described, the newest first. */
export const VERSIONS = ['3.2', '3.1', '3.0'] as const
export type Version = (typeof VERSIONS)[number]

/** How a parameter, or a member of a form, is written (OpenAPI 3.2.0, "Style Values"). */
export type Style =
  | 'simple'
  | 'label'
  | 'matrix'
  | 'form'
  | 'spaceDelimited'
  | 'pipeDelimited'
  | 'deepObject'
  | 'cookie'

/** A value that should arrive, and how exactly. The judge needs nothing of a schema besides. */
export type Expected =
  /** The same characters: texts, enums, dates, durations. */
  | { is: 'text'; value: string }
  /** The same decimal number, as its digits. */
  | { is: 'integer'; value: string }
  /** The nearest double. */
  | { is: 'number'; value: number }
  | { is: 'boolean'; value: boolean }
  | { is: 'null' }
  /** The same instant (RFC 3339), to the millisecond. */
  | { is: 'instant'; value: string }
  /** A text with these bytes, which are in base64 here. */
  | { is: 'bytes'; value: string; alphabet: 'base64' | 'base64url' }
  | { is: 'list'; items: readonly Expected[] }
  | {
      is: 'object'
      members: Readonly<Record<string, Expected>>
      /** Whether members with other names are no difference. */
      isOpen?: true
      /** Names that a strict client does not send, such as that of a read-only member. */
      tolerated?: readonly string[]
      /** Of an open object: names of its schema that must not arrive, for they have no value. Null is not absent. */
      absent?: readonly string[]
      /** Members that may be left out, with the value that they have if they arrive. */
      optional?: Readonly<Record<string, Expected>>
    }

/** A parameter, or a member of a form, as it should arrive. */
export interface ExpectedParameter {
  /** `querystring`: the whole query, in JSON. One that is a form is several parameters of the query. */
  in: 'path' | 'query' | 'querystring' | 'header' | 'cookie' | 'form'
  name: string
  style: Style
  explode: boolean
  allowReserved?: true
  /** Written as JSON (`content`, or `contentType` of an encoding), and not by its style. */
  isJson?: true
  /** Absent if it should not arrive. */
  expected?: Expected
}

/** A part of `multipart/form-data`, as it should arrive. Parts with the same name come in this order. */
export interface ExpectedPart {
  name: string
  /** A text or a number as text; an object or a list as JSON if `isJson`. */
  expected?: Expected
  isJson?: true
  /** The bytes of a file, in base64. */
  file?: { bytes: string }
  /** The Content-Type that the part must have. Absent: a text has none or `text/plain`, that of a file is free. */
  contentType?: string
  /** More headers that the part must have. */
  headers?: Readonly<Record<string, Expected & { is: 'text' | 'integer' }>>
}

/** A part of another subtype of `multipart`, as it should arrive at its place: with this Content-Type. */
export type ExpectedItem = { contentType: string } & (
  | { expected: Expected; isJson?: true }
  /** They are between delimiters of their own, with the boundary that the Content-Type names. */
  | { parts: readonly ExpectedItem[] }
)

export type ExpectedBody =
  | { as: 'json'; mediaType: string; expected: Expected }
  /** JSON in each line. */
  | { as: 'lines'; mediaType: string; items: readonly Expected[] }
  | { as: 'form'; mediaType: string; fields: readonly ExpectedParameter[] }
  | { as: 'multipart'; mediaType: string; parts: readonly ExpectedPart[] }
  /** Parts without names, in this order. */
  | { as: 'items'; mediaType: string; parts: readonly ExpectedItem[] }
  | { as: 'text'; mediaType: string; text: string }
  | { as: 'bytes'; mediaType: string; bytes: string }
  | { as: 'xml'; mediaType: string; xml: string }
  | { as: 'none' }

/** A response of a case: a tricky one, a redirect, or that of a script. */
export interface CaseAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  /** UTF-8, or base64 if `isBase64`. */
  body?: string
  isBase64?: true
}

/**
 * What the Worker knows about a case. The build makes one from each declaration (suite/), and the Worker reads all of
 * them from a file.
 */
export interface JudgedCase {
  id: `${Group}/${string}`
  operationId: string
  level: Level
  /** The versions of OpenAPI that describe it. */
  versions: readonly Version[]
  /** The method of the operation that is judged: of `response/…` PUT (but GET for `response/accept`), of a redirect the first one. */
  method: string
  /**
   * The path template below the bench, `/path/two/{second}/x/{first}`. Of `redirect/relative` it ends in `/start`,
   * because its target is beside this.
   */
  path: string
  parameters?: readonly ExpectedParameter[]
  body?: ExpectedBody
  /**
   * Of an `open` case: the names of the variants with regular expressions over `received` (empty if nothing is); the
   * first that matches. Of `response/…`, one that matches nothing, `(?!)`, is the name if no PUT came.
   */
  variants?: readonly (readonly [name: string, pattern: string])[]
  /**
   * `expected` of the answer: the form that we would send, of `response/…` what PUT should carry (bytes in base64). Null
   * if there is none.
   */
  wire: string | null
  /** How we would send each part, if it fits into one line. Bytes are in base64. */
  forms?: Readonly<Partial<Record<PartName, { text: string; encoding: 'base64' | null }>>>
  /** Of `response/…`: what GET answers. Absent of `response/accept`, whose GET gets the verdict. */
  answer?: CaseAnswer
  /** Of `response/accept`: the media type that `Accept` of GET has to allow. */
  accepts?: string
  /**
   * Of `redirect/…`: the first answer; the chain ends at the path `target` below the case, where any method is judged. A
   * `Location` that begins with `/` is below the bench.
   */
  redirect?: { answer: CaseAnswer; target: string; method: string }
  /** Of `retry/…`: the name of the script that answers (bench). */
  script?: string
}

/** `info`: the case is open, and `reason` names the variant. */
export type Verdict = 'pass' | 'non-strict' | 'fail' | 'info'

/** A request to a case, as it came. */
export interface Arrived {
  method: string
  /** The path after the name of the case, with the slash before it, not decoded; empty if there is none. */
  rest: string
  /** The query without `?`, not decoded; empty if there is none. */
  query: string
  headers: Pick<Headers, 'get'>
  /** Empty if there is none. As it came, or decoded if `coding` says so. */
  body: Uint8Array
  /** What became of the body's Content-Encoding. Absent if it has none. `broken`: the body is not what it says. */
  coding?: 'decoded' | 'broken' | 'unknown'
}

/** A part of a request that is judged by itself. A header is named in small letters. */
export type PartName = 'path' | 'query' | 'cookie' | 'body' | `header ${string}`

export interface Judgement {
  /** The part that was judged. Null if none was: the method is in no part. */
  part: PartName | null
  verdict: Verdict
  /** One sentence: the difference, or the name of the variant. Null if it passed strictly. */
  reason: string | null
  /** The byte in `received` at which it differs. */
  at: number | null
  /** The part that was judged, as it came, but for credentials: at most its first 2,048 bytes. */
  received: string | null
  /** Null: `received` is text. */
  encoding: 'base64' | null
}

/**
 * A request to a case, as a run keeps it for the verdict.
 *
 * It is stored, so a member that is removed here can still be in a database.
 */
export interface LabStep {
  /** When it arrived, in milliseconds since 1970. */
  at: number
  /** Whether it only begins the case: the GET of a response, a redirect that is still to be followed. */
  begins?: true
  /** The time that the Retry-After of its answer names, in milliseconds since 1970. */
  due?: number
  /** The digest of its Idempotency-Key. Absent if it has none, or if it does not matter. */
  key?: string
  judgement?: LabJudgement
}

/** What the judge says about a request, without the part that was judged. */
export interface LabJudgement {
  /** Absent of what was stored before parts had names. */
  part?: PartName | null
  verdict: Verdict
  reason: string | null
  at: number | null
  encoding: 'base64' | null
}

/** What a case has come to, from the steps that are kept of it. */
export interface Outcome {
  /** `incomplete`: begun and not finished. */
  verdict: Verdict | 'incomplete'
  reason: string | null
  at: number | null
}
