import fs from 'node:fs'

export type Change = (source: string) => string

/**
 * From now on, whoever reads one of these files in this process, at once and as text, gets the changed text. Miniflare
 * reads the code of its runtime, and that of wrangler's proxy, in this way when it is loaded.
 *
 * @param changes By the end of the path of the file
 */
export function changeOnRead(changes: Readonly<Record<string, Change>>): void {
  const { readFileSync } = fs
  fs.readFileSync = ((...args: Parameters<typeof readFileSync>) => {
    const content = readFileSync(...args)
    if (typeof content !== 'string') return content
    const change = Object.entries(changes).find(([end]) => String(args[0]).endsWith(end))?.[1]
    return change ? change(content) : content
  }) as typeof readFileSync
}
