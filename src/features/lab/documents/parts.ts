import { EXAMPLE_ORIGIN } from '../../../domain/example-origin.ts'
import type { Group } from '../case.ts'
import type { DocumentParts, PartsSection } from '../case-files.ts'
import { BENCH_PLACEHOLDER, EVERY_SELECTION } from '../case-files.ts'
import type { Case } from '../suite/declare.ts'
import { GROUP_TITLES, SUITE } from '../suite/suite.ts'
import { describeCase } from './operations.ts'
import type { Version } from './schemas.ts'

// A document in parts: one for each case, which the Worker joins. So it can leave cases out without reading a document.

/** Writes a value as a text in lines, without a line break at its end. */
export type Writer = (value: object) => string

/** A notation of documents: how a value is written, and how parts of a section are joined. */
interface Notation {
  write: Writer
  isJson: boolean
}

const DESCRIPTION = `Each operation is a case: a client sends the example of the operation, and the response says whether what arrived is legal and decodes to this value. The response is 200 whatever the verdict. A case of \`response\` has two operations: GET sends a response, and PUT carries what the client decoded. ${EXAMPLE_ORIGIN}/lab explains it and lists all cases.`

/** The document of a version with all cases, in parts. */
export function describeParts(cases: readonly Case[], version: Version, notation: Notation): DocumentParts {
  const described = cases.flatMap((spec) => {
    const part = describeCase(spec, version)
    return part ? [{ spec, ...part }] : []
  })
  const groups = [...new Set(described.map(({ spec }) => spec.group))]
  const { isJson } = notation
  const paths = described.map(({ spec, path, item }) => [spec.id, { [path]: item }] as const)
  const schemas = described.map((part) => [part.spec.id, part.schemas] as const)
  return {
    ids: cases.map(({ id }) => id),
    head: writeHead(version, notation),
    separator: isJson ? ',\n' : '',
    sections: [
      section(
        'tags',
        1,
        groups.map((group) => [`${group}/*`, [tagOf(group)]] as const),
        notation,
      ),
      section('paths', 1, paths, notation),
      section(
        'components',
        2,
        [[EVERY_SELECTION, { Verdict: verdictIn(version) }] as const, ...schemas],
        notation,
        'schemas',
      ),
    ],
    tail: isJson ? '\n}\n' : '',
  }
}

function tagOf(name: Group): object {
  return { name, description: GROUP_TITLES[name] }
}

function writeHead(version: Version, { write, isJson }: Notation): string {
  const is31 = version === '3.1'
  const head = {
    openapi: is31 ? '3.1.1' : '3.0.4',
    info: {
      title: 'Galaxy laboratory',
      version: SUITE.replaceAll('-', '.'),
      description: DESCRIPTION,
      contact: { name: 'Galaxy', url: EXAMPLE_ORIGIN },
      license: { name: 'MIT', ...(is31 ? { identifier: 'MIT' } : { url: 'https://opensource.org/license/mit' }) },
    },
    externalDocs: { description: 'The laboratory', url: `${EXAMPLE_ORIGIN}/lab` },
    servers: [{ url: BENCH_PLACEHOLDER, description: 'The bench' }],
    security: [],
  }
  const text = write(head)
  // The closing brace comes after the sections.
  return isJson ? text.replace(/\n\}$/, '') : `${text}\n`
}

/**
 * A section of a document, which is a member `name` with an entry for each part.
 *
 * @param level How deep its entries are
 * @param inner The member of the section that has the entries
 */
function section(
  name: string,
  level: number,
  parts: readonly (readonly [key: string, entries: object])[],
  notation: Notation,
  inner?: string,
): PartsSection {
  const { isJson } = notation
  const isList = name === 'tags'
  const items = parts.flatMap(([key, entries]) => {
    const text = writeEntries(entries, level, notation)
    return text === '' ? [] : [[key, text] as const]
  })
  return {
    ...(isJson ? jsonFrame(name, isList, inner) : yamlFrame(name, isList, inner)),
    items: Object.fromEntries(items),
  }
}

function jsonFrame(name: string, isList: boolean, inner?: string): Omit<PartsSection, 'items'> {
  const [open, close] = isList ? '[]' : '{}'
  const start = `,\n  "${name}": ${open}`
  return inner === undefined
    ? { open: `${start}\n`, close: `\n  ${close}`, empty: start + close }
    : { open: `${start}\n    "${inner}": {\n`, close: `\n    }\n  ${close}`, empty: start + close }
}

function yamlFrame(name: string, isList: boolean, inner?: string): Omit<PartsSection, 'items'> {
  return {
    open: inner === undefined ? `${name}:\n` : `${name}:\n  ${inner}:\n`,
    close: '',
    empty: `${name}: ${isList ? '[]' : '{}'}\n`,
  }
}

/** The entries of a part: members of an object, or items of a list, as lines. */
function writeEntries(entries: object, level: number, { write, isJson }: Notation): string {
  if (Object.keys(entries).length === 0) return ''
  const text = write(entries)
  const lines = isJson ? text.split('\n').slice(1, -1) : text.split('\n')
  const indent = '  '.repeat(level)
  const indented = lines.map((line) => (line === '' ? line : indent + line)).join('\n')
  return isJson ? indented : `${indented}\n`
}

/** The answer of every case. New members may come, so it is open. */
function verdictIn(version: Version): object {
  const orNull = (type: 'string' | 'integer') =>
    version === '3.0' ? { type, nullable: true } : { oneOf: [{ type }, { type: 'null' }] }
  const described = (schema: object, description: string) => ({ ...schema, description })
  return {
    type: 'object',
    required: ['case', 'level', 'verdict', 'reason', 'at', 'received', 'encoding', 'expected'],
    properties: {
      case: described({ type: 'string' }, 'The id of the case'),
      level: described({ type: 'string' }, '`core`, `extended` or `open`'),
      verdict: described({ type: 'string' }, '`pass`, `non-strict`, `fail` or `info`'),
      reason: described(orNull('string'), 'The difference, or the name of the variant'),
      at: described(orNull('integer'), 'The byte in `received` at which it differs'),
      received: described(
        orNull('string'),
        'The part that was judged, as it came: its first 2,048 bytes. Each byte of a credential of this service is `*`',
      ),
      encoding: described(orNull('string'), '`base64` if `received` is no text'),
      expected: described(orNull('string'), 'The form that we would send'),
    },
    additionalProperties: true,
  }
}
