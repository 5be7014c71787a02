export function fail(message: string, code: number): never {
  console.error(message)
  process.exit(code)
}
