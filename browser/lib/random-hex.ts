/** Random hexadecimal digits. Not `crypto.randomUUID`, which browsers have only at https and localhost. */
export function randomHex(digits: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(digits))
  return Array.from(bytes, (byte) => (byte % 16).toString(16)).join('')
}
