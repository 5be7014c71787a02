/**
 * Marks a text that only the published documents have: the descriptions of operations, responses and schemas. The
 * build of the documents needs them. The Worker does not, and is bundled with `src/lib/no-doc.ts` in place of this
 * file (wrangler.toml, `[alias]`), so that such a text costs it nothing.
 */
export function doc(text: string): string {
  return text
}
