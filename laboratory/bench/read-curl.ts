import { showBytes } from './request.ts'
import type { TypedTexts } from './typed.ts'

// A command with curl that is pasted into a bench. What it reads from files and from other programs is not there.

const OPTIONS = {
  '-X': 'method',
  '--request': 'method',
  '-H': 'header',
  '--header': 'header',
  '-b': 'cookie',
  '--cookie': 'cookie',
  '-d': 'data',
  '--data': 'data',
  '--data-ascii': 'data',
  '--data-binary': 'data',
  '--data-raw': 'raw',
  '--url': 'url',
  '--request-target': 'target',
  '-o': 'nothing',
  '--output': 'nothing',
  '-m': 'nothing',
  '--max-time': 'nothing',
  '-w': 'nothing',
  '--write-out': 'nothing',
  '--retry': 'nothing',
} as const

/** Those without a value that change nothing of what is sent, as one letter or more: `-sS`. */
const IGNORED =
  /^(?:-[sSgiLvkf]+|--(?:silent|show-error|globoff|include|location|verbose|insecure|fail|fail-with-body|path-as-is))$/

type Found = Partial<Record<(typeof OPTIONS)[keyof typeof OPTIONS], string[]>>

/** @returns Undefined if the text is no such command, or one with an option that is not known here */
export function readCurl(text: string): TypedTexts | undefined {
  const words = wordsOf(text.trim().replace(/^\$\s+/, ''))
  if (words?.shift() !== 'curl') return undefined
  const found: Found = {}
  let isHead = false
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const name = word.startsWith('--') ? word : word.slice(0, 2)
    if (!word.startsWith('-')) add(found, 'url', word)
    else if (name === '-I' || word === '--head') isHead = true
    else if (isOption(name)) {
      // The value of a letter may follow it at once: `-XPUT`.
      const value = word === name ? words.shift() : word.slice(2)
      if (value === undefined) return undefined
      add(found, OPTIONS[name], value)
    } else if (!IGNORED.test(word)) return undefined
  }
  return textsOf(found, isHead)
}

const isOption = (name: string): name is keyof typeof OPTIONS => Object.hasOwn(OPTIONS, name)

function add(found: Found, kind: keyof Found, value: string): void {
  found[kind] = [...(found[kind] ?? []), value]
}

function textsOf(found: Found, isHead: boolean): TypedTexts | undefined {
  const { method = [], header = [], cookie = [], data = [], raw = [], url = [], target = url } = found
  if (url.length !== 1 || data.some((text) => text.startsWith('@'))) return undefined
  const bodies = [...data, ...raw]
  const hasType = header.some((line) => /^content-type[:;]/i.test(line))
  const headers = [
    ...header.flatMap(headerOf),
    ...cookie.map((text) => `Cookie: ${text}`),
    ...(bodies.length > 0 && !hasType ? ['Content-Type: application/x-www-form-urlencoded'] : []),
  ]
  const usual = isHead ? 'HEAD' : bodies.length > 0 ? 'POST' : 'GET'
  return {
    line: `${method.at(-1) ?? usual} ${target.at(-1)}`,
    headers: headers.join('\n'),
    body: showBytes(new TextEncoder().encode(bodies.join('&'))),
  }
}

/** The line of an option `-H`. curl leaves a header out if nothing follows its colon, and sends it with a semicolon. */
function headerOf(option: string): string[] {
  if (/^[^:]+;$/.test(option)) return [`${option.slice(0, -1)}:`]
  return /^[^:]+:\s*$/.test(option) ? [] : [option]
}

/** The words of a command, as a POSIX shell reads them; undefined if it has more than one command, or variables. */
function wordsOf(text: string): string[] | undefined {
  const words: string[] = []
  let rest = text.replaceAll(/\\\r?\n/g, ' ').trim()
  while (rest !== '') {
    const [word] = /^(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'"\\|&;<>$`])+/s.exec(rest) ?? []
    if (word === undefined || /(?:^|[^'\\])"[^"]*[$`]/.test(word.replaceAll(/'[^']*'/g, "''"))) return undefined
    words.push(word.replaceAll(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs, unquote))
    const next = rest.slice(word.length)
    if (next !== '' && !/^\s/.test(next)) return undefined
    rest = next.trimStart()
  }
  return words
}

function unquote(_: string, single?: string, double?: string, escaped?: string): string {
  return single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? ''
}
