import { newIdBytes } from './ids.ts'

// The trace that a request belongs to (W3C Trace Context, Level 1). This service takes part in traces, but begins none.

/** The trace of a request, as it is passed on. */
export interface Trace {
  /** 32 hexadecimal digits. */
  id: string
  /** Whether the caller may have recorded the trace (section 3.2.2.5.1). */
  isSampled: boolean
  /** The value of `tracestate`; absent if the caller sent no valid one. */
  state?: string
}

/**
 * Version, trace id, parent id and flags. A version that is newer than this code may have more fields (section 3.2.4).
 */
const TRACE_PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const CURRENT_VERSION = '00'
const INVALID_VERSION = 'ff'
const SAMPLED = 0b1

/** Maximum number of members of a `tracestate` that is passed on (section 3.3.1). */
const MEMBERS_MAX = 32
/** Maximum number of characters of a `tracestate` that is passed on (section 3.3.1.5). */
const STATE_MAX = 512

/** The key of a member of `tracestate`, with or without the name of its system (section 3.3.1.3). */
const KEY = String.raw`(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})`
/**
 * A member: a key and a value. The value has 1 to 256 printable ASCII characters, but no comma and no `=`, and does not
 * end with a space (section 3.3.1.3).
 */
const MEMBER = new RegExp(String.raw`^(${KEY})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$`)

const PARENT_ID_BYTES = 8

/**
 * Reads the trace of a request. As the standard says, an invalid `tracestate` is ignored. If `traceparent` is invalid,
 * both headers are ignored.
 *
 * @returns Undefined if there is no valid `traceparent`
 */
export function readTrace(headers: Headers): Trace | undefined {
  const traceParent = headers.get('traceparent')?.trim() ?? ''
  const [, version, id = '', parentId = '', flags = '', furtherFields] = TRACE_PARENT.exec(traceParent) ?? []
  if (version === undefined || version === INVALID_VERSION) return undefined
  if (version === CURRENT_VERSION && furtherFields !== undefined) return undefined
  if (isZero(id) || isZero(parentId)) return undefined
  const isSampled = (parseInt(flags, 16) & SAMPLED) !== 0
  const state = readState(headers.get('tracestate') ?? '')
  return state === '' ? { id, isSampled } : { id, isSampled, state }
}

/** Whether an id consists of zeros only, which is not valid (section 3.2.2). */
function isZero(digits: string): boolean {
  return /^0+$/.test(digits)
}

/** The value of a `tracestate`, without empty members; empty if it is not valid or too long. */
function readState(text: string): string {
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  const keys = members.map((member) => MEMBER.exec(member)?.[1])
  const isValid = members.length <= MEMBERS_MAX && !keys.includes(undefined) && new Set(keys).size === keys.length
  const state = members.join(',')
  return isValid && state.length <= STATE_MAX ? state : ''
}

/** The headers that pass a trace on to the next service. Each call of a service has a new parent id. */
export function traceHeaders({ id, isSampled, state }: Trace): Record<string, string> {
  const parentId = newIdBytes('span', PARENT_ID_BYTES).toHex()
  // An id of zeros is not valid. This happens once in 2^64 calls; that call then belongs to no trace.
  if (isZero(parentId)) return {}
  return {
    traceparent: `${CURRENT_VERSION}-${id}-${parentId}-${isSampled ? '01' : '00'}`,
    ...(state !== undefined && { tracestate: state }),
  }
}
