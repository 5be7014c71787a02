import type { ShownBody } from '../shown-request.ts'
import type { PlainRequest } from './plain-request.ts'
import { encodeFormName, hasInvisible, quote } from './quote.ts'

/** Writes a request as a complete program in Go, as gofmt formats it. */
export function toGo({ method, url, headers, body }: PlainRequest): string {
  const parts = body ? writeBody(body) : { imports: [], before: [], value: 'nil', after: [] }
  const imports = ['fmt', 'io', 'log', 'net/http', ...parts.imports].sort()
  const lines = [
    ...parts.before,
    `request, err := http.NewRequest(${quoteText(method)}, ${quoteText(url)}, ${parts.value})`,
    ...CHECK,
    ...headers.map(([name, value]) => `request.Header.Set(${quoteText(name)}, ${quoteText(value)})`),
    ...parts.after,
    'response, err := http.DefaultClient.Do(request)',
    ...CHECK,
    'defer response.Body.Close()',
    'text, err := io.ReadAll(response.Body)',
    ...CHECK,
    'fmt.Println(response.Status, string(text))',
  ]
  return `package main

import (
${imports.map((name) => `\t"${name}"\n`).join('')})

func main() {
${lines.map((line) => `\t${line}\n`).join('')}}`
}

/** The code after each step that can fail. */
const CHECK = ['if err != nil {', '\tlog.Fatal(err)', '}']

/** The parts of the program that depend on the body. */
interface BodyParts {
  imports: string[]
  /** Lines before the request is made. */
  before: string[]
  /** The expression for the body. */
  value: string
  /** Lines after the request is made. */
  after: string[]
}

function writeBody(body: ShownBody): BodyParts {
  if ('field' in body) return writeForm(body)
  const before = [`body := strings.NewReader(${quoteText(body.text)})`]
  return { imports: ['strings'], before, value: 'body', after: [] }
}

/** A raw string needs no escapes, but cannot contain a backtick. */
function quoteText(text: string): string {
  const needsEscapes = /["\\\n]/.test(text)
  const canBeRaw = !text.includes('`') && !hasInvisible(text, '\n\t')
  return needsEscapes && canBeRaw ? `\`${text}\`` : quote(text, '"')
}

function writeForm({ field, fileName }: { field: string; fileName: string }): BodyParts {
  return {
    imports: ['bytes', 'mime/multipart', 'os'],
    before: [
      `file, err := os.ReadFile(${quoteText(fileName)})`,
      ...CHECK,
      'var body bytes.Buffer',
      'form := multipart.NewWriter(&body)',
      `part, err := form.CreateFormFile(${quoteText(encodeFormName(field))}, ${quoteText(encodeFormName(fileName))})`,
      ...CHECK,
      'if _, err := part.Write(file); err != nil {',
      '\tlog.Fatal(err)',
      '}',
      'if err := form.Close(); err != nil {',
      '\tlog.Fatal(err)',
      '}',
    ],
    value: '&body',
    after: ['request.Header.Set("Content-Type", form.FormDataContentType())'],
  }
}
