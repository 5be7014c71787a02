import { expect, it } from 'vitest'
import { findRepetitions } from '../../scripts/lib/docstrings.ts'

it.each([
  ['a name', '/** Writes a document as YAML. */\nexport function writeYamlDocument(text: object): string {'],
  ['a name with its types', '/** The error for a run that is closed. */\nfunction closed(run: Run): ProblemError {'],
  ['other forms of the same words', '/** Guards fetches. */\nexport const guardedFetch = 1'],
  ['the name of the file', '/** The limits of worlds. */\nexport const limits = 1'],
  ['an interface around it', 'interface Reply {\n\n  /** The status of the reply. */\n  status: number\n}'],
  [
    'a class around another member',
    'class Book {\n  a() {\n    go()\n  }\n  /** The size of the book. */\n  size = 1\n}',
  ],
])('a docstring that only repeats %s is found', (_place, source) => {
  const line = source.split('\n').findIndex((text) => text.includes('/**')) + 1
  expect(findRepetitions('src/domain/worlds.ts', source)).toEqual([{ line, text: expect.any(String) }])
})

it.each([
  ['a unit', '/** In seconds. */\nage: number'],
  ['a limit', '/** At most 20 worlds. */\nworlds: World[]'],
  ['a condition', '/** Undefined if no world has the name. */\nexport function findWorld(name: string): World {'],
  ['an order', '/** The worlds, oldest first. */\nworlds: World[]'],
  ['a source', '/** The origin of a world (RFC 6454). */\nexport const worldOrigin = 1'],
  ['an error', '/** Reads a world. @throws ProblemError 404 */\nfunction readWorld(): World {'],
  ['a second sentence', '/** Reads a world. It reads twice. */\nfunction readWorld(twice: boolean): World {'],
  ['a value', "/** The longest name. */\nexport const NAME = 'longest'"],
  [
    'what another interface has',
    'interface Reply {\n  a: 1\n}\n/** The status of a reply. */\nexport const status = 1',
  ],
])('a docstring that adds %s is not found', (_addition, source) => {
  expect(findRepetitions('src/domain/worlds.ts', source)).toEqual([])
})
