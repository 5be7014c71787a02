/** A line of the log. docs/operating.md explains each kind. */
export type Line = { event: string } & Readonly<Record<string, unknown>>

/**
 * Writes a line of the log as JSON, so that it can be searched by its members. It uses the level `info`, which `npm
 * start` shows.
 */
export function writeLine(line: Line): void {
  console.info(JSON.stringify(line))
}
