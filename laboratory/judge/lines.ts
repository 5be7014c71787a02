import type { Expected } from '../case.ts'
import { compareJson } from './json.ts'
import { type Part, report } from './part.ts'
import { split, type Text } from './text.ts'

/**
 * Compares lines of JSON (OpenAPI 3.2.0, "Sequential Media Types"; `application/jsonl`): a value in each, whose order
 * counts. The last line may have no end.
 */
export function compareLines(part: Part, text: Text, items: readonly Expected[]): void {
  const { value } = text
  const lines = [...split(value, [0, value.length], /\n/g)]
  // Behind the last end of a line there is no line.
  if (value.endsWith('\n')) lines.pop()
  let count = 0
  for (const [index, [start, end]] of lines.entries()) {
    const line = value.slice(start, end)
    const item = items[count]
    if (/^[ \t\r]*$/.test(line)) {
      report(part, 'nonStrict', text.at(start), `Line ${index + 1} of the body is empty.`)
    } else if (!item) {
      report(part, 'fail', text.at(Math.max(0, start - 1)), `The body has more lines of JSON than ${items.length}.`)
    } else {
      compareJson(part, { value: line, at: (at) => text.at(start + at) }, item, `line ${index + 1} of the body`)
      count++
    }
    // After a difference nothing else can be the first one.
    if (part.fail) return
  }
  if (count < items.length)
    report(part, 'fail', text.at(value.length), `The body has ${count} of ${items.length} lines of JSON.`)
}
