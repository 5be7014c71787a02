/** A table of Markdown, with columns of equal width in the text. Columns of figures are aligned to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = headings.map((heading, column) => {
    const cells = rows.map((row) => row[column] ?? '')
    return {
      width: Math.max(3, heading.length, ...cells.map((cell) => cell.length)),
      hasFigures: cells.every((cell) => /^(\d|NaN|∞)/.test(cell)),
    }
  })
  const line = (cells: readonly string[]) => {
    const padded = columns.map(({ width, hasFigures }, column) => {
      const cell = cells[column] ?? ''
      return hasFigures ? cell.padStart(width) : cell.padEnd(width)
    })
    return `| ${padded.join(' | ')} |`
  }
  const rule = columns.map(({ width, hasFigures }) => (hasFigures ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(headings), line(rule), ...rows.map(line)].join('\n')
}

/** A whole number, with commas. */
export function count(value = Number.NaN): string {
  return Math.round(value).toLocaleString('en')
}

export function namesOf<Name extends string>(figures: Record<Name, unknown>): Name[] {
  return Object.keys(figures) as Name[]
}
