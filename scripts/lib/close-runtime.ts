import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { changeOnRead } from './change-on-read.ts'
import { COMMANDS, closeCommands } from './closed-commands.ts'
import { CRON_VARIABLE, closeEntry, ENTRY } from './closed-entry.ts'
import { keepHeaders, PROXY } from './plain-proxy.ts'

// Loaded into the process of `wrangler dev` before its own code (wrangler.ts). Node loads the code of wrangler's
// commands.

changeOnRead({
  [ENTRY]: (source) => closeEntry(source, { cron: process.env[CRON_VARIABLE] ?? '', isBehindProxy: true }),
  [PROXY]: keepHeaders,
})

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const isMeant = url.startsWith('file:') && fileURLToPath(url).endsWith(COMMANDS)
    return isMeant ? { ...loaded, source: closeCommands(String(loaded.source)) } : loaded
  },
})
