// Plain implementations of patches, with which tests compare those of the service. They copy everything for each
// operation, and know only `add` and `remove`: RFC 6902 says what the other operations are in these terms.

interface Sent {
  op: string
  path: string
  from?: string
  value?: unknown
}

class Conflict extends Error {}

/** Applies a JSON Patch. @returns The result, or what `refuse` makes of the number of the operation that conflicts */
export function plainJsonPatch<Refusal>(
  document: unknown,
  operations: readonly Sent[],
  refuse: (index: number) => Refusal,
): { result: unknown } | Refusal {
  let whole: unknown[] = [document]
  for (const [index, operation] of operations.entries()) {
    try {
      whole = plainOperation(structuredClone(whole), operation)
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      return refuse(index)
    }
  }
  return { result: whole[0] }
}

function plainOperation(whole: unknown[], { op, path, from = '', value }: Sent): unknown[] {
  if (op === 'add') return add(whole, path, value)
  if (op === 'remove') return remove(whole, path)
  if (op === 'replace') return replaceAt(whole, path, value)
  if (op === 'move') return add(remove(whole, from), path, read(whole, from))
  if (op === 'copy') return add(whole, path, read(whole, from))
  if (sorted(read(whole, path)) !== sorted(value)) throw new Conflict()
  return whole
}

/** The text of a value, with the members of objects in order of their names. */
function sorted(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${sorted(member)}`)
  return `{${members.sort().join()}}`
}

const namesIn = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))

/** The whole document is the item of a list. Undefined means that there is none. */
function read(whole: unknown[], pointer: string): unknown {
  let value: unknown = whole[0]
  for (const name of namesIn(pointer)) {
    const isIndex = !Array.isArray(value) || String(Number.parseInt(name, 10)) === name
    value = isIndex && typeof value === 'object' ? new Map(Object.entries(value ?? {})).get(name) : undefined
  }
  if (value === undefined) throw new Conflict()
  return structuredClone(value)
}

/** Changes the members of the object or list at a location, as a list of entries. */
function edit(
  whole: unknown[],
  pointer: string,
  change: (entries: [string, unknown][], name: string, isList: boolean) => [string, unknown][],
): unknown[] {
  const names = namesIn(pointer)
  const last = names.pop()
  if (last === undefined) throw new Error('the whole document has no parent')
  const parentPointer = pointer.slice(0, pointer.lastIndexOf('/'))
  const parent = read(whole, parentPointer)
  if (typeof parent !== 'object' || parent === null) throw new Conflict()
  const isList = Array.isArray(parent)
  const entries = change(Object.entries(parent), last, isList)
  const changed = isList ? entries.map(([, item]) => item) : Object.fromEntries(entries)
  return replaceAt(whole, parentPointer, changed)
}

function replaceAt(whole: unknown[], pointer: string, value: unknown): unknown[] {
  read(whole, pointer)
  if (pointer === '') return [value]
  return edit(whole, pointer, (entries, name) =>
    entries.map(([known, member]) => [known, known === name ? value : member]),
  )
}

function remove(whole: unknown[], pointer: string): unknown[] {
  read(whole, pointer)
  if (pointer === '') return []
  return edit(whole, pointer, (entries, name) => entries.filter(([known]) => known !== name))
}

function add(whole: unknown[], pointer: string, value: unknown): unknown[] {
  if (pointer === '') return [value]
  return edit(whole, pointer, (entries, name, isList) => {
    if (!isList) return [...entries.filter(([known]) => known !== name), [name, value]]
    const index = name === '-' ? entries.length : Number(name)
    const isPlace = name === '-' || String(Number.parseInt(name, 10)) === name
    if (!isPlace || index < 0 || index > entries.length) throw new Conflict()
    return entries.toSpliced(index, 0, [name, value])
  })
}

/** Applies a merge patch, member by member (RFC 7396, section 2). */
export function plainMergePatch(target: unknown, patch: unknown): unknown {
  const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...Object(target) } : {}
  for (const name of Object.keys(Object(patch))) {
    const value = Object(patch)[name]
    if (value === null) delete result[name]
    else result[name] = plainMergePatch(result[name], value)
  }
  return result
}
