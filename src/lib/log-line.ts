/** A line of the log. docs/operating.md explains each kind. */
export type Line = { event: string } & Readonly<Record<string, unknown>>

/**
 * Writes a line of the log, as JSON, so that it can be searched by its members. At the level at which `npm start` shows
 * lines.
 */
export function writeLine(line: Line): void {
  console.info(JSON.stringify(line))
}
