import type { ChildProcess } from 'node:child_process'
import { createServer } from 'node:net'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ensureLocalSecrets } from './local-secrets.ts'
import { prepareDatabase } from './prepare.ts'
import { ROOT, startWrangler } from './wrangler.ts'

// `npm start`: secrets, database, then `wrangler dev`, until Ctrl-C or SIGTERM.

const SWEEP_INTERVAL_MS = 60_000
const STOP_TIMEOUT_MS = 5_000
const POLL_MS = 50
const PARENT_POLL_MS = 100

const { port, stateFolder, passedOn } = readArguments()
const baseUrl = `http://localhost:${port}`

await requireFreePort(port)
await ensureLocalSecrets()
await prepareDatabase(stateFolder)
const server = startWrangler(
  ['dev', '--port', String(port), '--persist-to', stateFolder, '--show-interactive-dev-session=false', ...passedOn],
  // In a process group of its own: Ctrl-C reaches only this process, which then ends all of that group.
  { detached: process.platform !== 'win32' },
)
stopTogether(server)
await untilReady()
printWelcome()
// Cron does not fire by itself here; the deployed schedule is each minute too.
setInterval(() => void fetch(`${baseUrl}/cdn-cgi/local/scheduled`).catch(() => {}), SWEEP_INTERVAL_MS).unref()

interface Arguments {
  port: number
  stateFolder: string
  /** What wrangler gets as it came. */
  passedOn: string[]
}

function readArguments(): Arguments {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '8787' },
        'persist-to': { type: 'string', default: '.wrangler/state' },
        var: { type: 'string', multiple: true, default: [] },
        'test-scheduled': { type: 'boolean', default: false },
      },
    })
    const port = Number(values.port)
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('--port takes a number from 1 to 65535')
    const passedOn = values.var.flatMap((variable) => ['--var', variable])
    if (values['test-scheduled']) passedOn.push('--test-scheduled')
    return { port, stateFolder: resolve(ROOT, values['persist-to']), passedOn }
  } catch (error) {
    const usage = 'npm start -- [--port N] [--persist-to DIR] [--var NAME:VALUE]… [--test-scheduled]'
    console.error(`${error instanceof Error ? error.message : error}\nUsage: ${usage}`)
    process.exit(2)
  }
}

/** Another service at the port would answer in our place, so that is told first. */
async function requireFreePort(port: number): Promise<void> {
  const probe = createServer()
  const error = await new Promise<Error | undefined>((done) => {
    probe.once('error', done).listen(port, 'localhost', () => probe.close(() => done(undefined)))
  })
  if (!error) return
  console.error(`Port ${port} cannot be used (${error.message}). Take another: npm start -- --port 8788`)
  process.exit(1)
}

/** Ends the server with this process and this process with the server, leaving nothing behind. */
function stopTogether(child: ChildProcess): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    signalGroup(child, 'SIGTERM')
    setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_TIMEOUT_MS).unref()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop)
  // npm passes a signal to its shell, which dies of it without a word to us: then we have another parent.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && stop(), PARENT_POLL_MS).unref()
  child.on('exit', (code) => {
    signalGroup(child, 'SIGKILL')
    process.exit(stopping ? 0 : (code ?? 1))
  })
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // It has ended already.
  }
}

async function untilReady(): Promise<void> {
  for (;;) {
    const response = await fetch(`${baseUrl}/planets?limit=1`).catch(() => undefined)
    if (response?.ok) return
    await new Promise((done) => setTimeout(done, POLL_MS))
  }
}

function printWelcome(): void {
  console.log(`
Galaxy is at ${baseUrl}

  curl ${baseUrl}/planets/4
  curl "${baseUrl}/planets?limit=3&offset=9"
  curl --json '{"email":"you@example.com","password":"i-love-planets","name":"You"}' ${baseUrl}/user/signup
`)
}
