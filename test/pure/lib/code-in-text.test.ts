import { expect, it } from 'vitest'
import { splitCode } from '../../../src/lib/code-in-text.ts'

it.each([
  ['It begins with `{`.', 'It begins with <{>.'],
  ['It begins with `"`, and so on: "x`y`".', 'It begins with <">, and so on: "x`y`".'],
  ['One item arrived: "a`b`\\"c`d`".', 'One item arrived: "a`b`\\"c`d`".'],
  ['It begins with ```.', 'It begins with <`>.'],
  ['A lone ` stays.', 'A lone ` stays.'],
])('the code in the reason %j is marked, but not in what a caller sent', (reason, marked) => {
  expect(
    splitCode(reason)
      .map(({ isCode, text }) => (isCode ? `<${text}>` : text))
      .join(''),
  ).toBe(marked)
})
