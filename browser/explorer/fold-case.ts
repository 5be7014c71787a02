/** A text in lower case as far as the service compares names without case: only ASCII letters. */
export function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}
