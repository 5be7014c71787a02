/** How often a line is written if the output is no terminal. */
const LINE_MS = 10_000
/** How often the line of a terminal changes. */
const TERMINAL_MS = 200
/** Moves to the beginning of the line of a terminal, and clears the line. */
const CLEAR_LINE = '\r\x1b[K'

/** The part of an output stream that this file uses. */
export interface Output {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * A terminal has one line that changes. Any other output gets a new line every ten seconds. Short work writes nothing.
 *
 * @param title What is counted, such as `Images`
 * @param total The expected count, which `advance` may exceed
 * @returns `advance`, to call when more is done, and `end`, which clears the line of a terminal
 */
export function showProgress(title: string, total: number, output: Output = process.stderr, now = Date.now) {
  const interval = output.isTTY ? TERMINAL_MS : LINE_MS
  let done = 0
  let writtenAt = now()
  let isShown = false
  return {
    advance(count = 1): void {
      done += count
      if (now() - writtenAt < interval) return
      writtenAt = now()
      isShown = true
      const line = `${title}: ${done} of ${Math.max(done, total)}`
      output.write(output.isTTY ? `${CLEAR_LINE}${line}` : `${line}\n`)
    },
    end(): void {
      if (output.isTTY && isShown) output.write(CLEAR_LINE)
    },
  }
}
