// The programs in docs/lab.md, which the page shows too.

/**
 * The first block of code in a language below a heading.
 *
 * @throws Error if there is none
 */
export function codeBelow(guide: string, heading: string, language: string): string {
  const [, section] = guide.split(`\n${heading}\n`)
  const code = section?.match(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'ms'))?.[1]
  if (code === undefined) throw new Error(`docs/lab.md has no ${language} below "${heading}"`)
  return code.trimEnd()
}
