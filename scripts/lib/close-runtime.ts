import fs from 'node:fs'
import { CRON_VARIABLE, closeEntry, ENTRY } from './closed-entry.ts'

// Loaded into the process of `wrangler dev` before its own code (wrangler.ts). Miniflare reads the code of its runtime from
// a file.

const { readFileSync } = fs
fs.readFileSync = ((...args: Parameters<typeof readFileSync>) => {
  const content = readFileSync(...args)
  const isEntry = typeof content === 'string' && String(args[0]).endsWith(ENTRY)
  return isEntry ? closeEntry(content, process.env[CRON_VARIABLE] ?? '') : content
}) as typeof readFileSync
