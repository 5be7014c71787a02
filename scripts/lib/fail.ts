/** Ends the command with a message. */
export function fail(message: string, code: number): never {
  console.error(message)
  process.exit(code)
}
