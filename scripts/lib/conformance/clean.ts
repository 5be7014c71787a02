/**
 * Replaces the characters that a terminal would take as commands, or that XML 1.0 cannot contain. The response of a
 * service can contain any of them.
 */
export function clean(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufffe\uffff]/g, '\ufffd')
}
