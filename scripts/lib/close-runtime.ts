import fs from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { COMMANDS, closeCommands } from './closed-commands.ts'
import { CRON_VARIABLE, closeEntry, ENTRY } from './closed-entry.ts'
import { keepHeaders, PROXY } from './plain-proxy.ts'

// Loaded into the process of `wrangler dev` before its own code (wrangler.ts). Miniflare reads the code of its runtime,
// and that of wrangler's proxy, from files. Node loads the code of wrangler's commands.

const { readFileSync } = fs
fs.readFileSync = ((...args: Parameters<typeof readFileSync>) => {
  const content = readFileSync(...args)
  if (typeof content !== 'string') return content
  const path = String(args[0])
  if (path.endsWith(ENTRY)) return closeEntry(content, process.env[CRON_VARIABLE] ?? '')
  return path.endsWith(PROXY) ? keepHeaders(content) : content
}) as typeof readFileSync

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const isMeant = url.startsWith('file:') && fileURLToPath(url).endsWith(COMMANDS)
    return isMeant ? { ...loaded, source: closeCommands(String(loaded.source)) } : loaded
  },
})
