import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../../scripts/lib/root.ts'
import { EXAMPLE_SECRET } from '../../src/schemas/signing-secret.ts'
import { forEachOf } from './callbacks-client.ts'
import { codesOf, sectionOf } from './documentation.ts'
import {
  BODY_CASES,
  CASES,
  type Case,
  type Command,
  caseOf,
  codeOf,
  expected,
  FIRST,
  judgeIn,
  OTHER_SECRET,
  PUBLIC_CASES,
  page,
  receiveTwice,
  vectors,
} from './documented-receivers.ts'
import { isTested } from './installed.ts'
import { shareGalaxy } from './prepared-state.ts'

// Extracts the code that docs/callbacks.md tells its readers to paste, and runs it. The receivers in Go, Java and Rust are
// run in test/interop.

const run = promisify(execFile)
/** Maximum number of simultaneous shells. */
const AT_ONCE = 4

const { secret, messages } = vectors

const hasPython = isTested('python3', ['python3', '--version'], 'the code in docs/callbacks.md for Python')
const hasOpenssl = isTested('openssl', ['openssl', 'version'], 'the code in docs/callbacks.md for openssl')

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-snippets-'))
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  await write('receiver.mjs', codeOf('Node', 'js'))
  await write('receive.mjs', codeOf('Node with `standardwebhooks`', 'js'))
  await write('receiver.py', codeOf('Python', 'python'))
  await write('verify-public.mjs', codeOf('With a public key', 'js'))
  await write('verify.sh', codeOf('curl and openssl', 'bash'))
})

afterAll(() => rm(folder, { recursive: true }))

const write = (name: string, text: string) => writeFile(join(folder, name), text)

/** Passes the cases to a program, which prints the result of a snippet for each. */
const judge = (cases: readonly Case[], ...command: Command) => judgeIn(folder, cases, ...command)

describe('the test vectors', () => {
  it('are what the service computes', async () => {
    // Runs the code of the service. It uses functions that this Node has only behind a flag.
    const script = `
      const { signBody, signMessage } = await import(${JSON.stringify(join(ROOT, 'src/domain/webhook-signature.ts'))})
      const { secret, previousSecret, messages } = JSON.parse(process.argv[1])
      const computed = messages.map(async (message) => {
        const body = new TextEncoder().encode(message.body)
        const head = { id: message['webhook-id'], timestamp: Number(message['webhook-timestamp']) }
        const secrets = message['webhook-signature'].includes(' ') ? [secret, previousSecret] : [secret]
        const signatures = { 'x-signature': await signBody(secret, body), 'webhook-signature': await signMessage(secrets, head, body) }
        return { ...message, ...signatures }
      })
      console.log(JSON.stringify(await Promise.all(computed)))`
    const args = ['--js-base-64', '--no-warnings', '--input-type=module', '-e', script, JSON.stringify(vectors)]
    const { stdout } = await run(process.execPath, args)
    expect(messages).toEqual(JSON.parse(stdout))
  })

  it('have the secret of the examples, a body beyond ASCII, and a message of a rotation', () => {
    expect(secret).toBe(EXAMPLE_SECRET)
    expect(messages.some(({ body }) => /[^\0-\x7f]/.test(body))).toBe(true)
    expect(messages.some((message) => message['webhook-signature'].split(' ').length === 2)).toBe(true)
    expect(messages.map((message) => Number(message['webhook-timestamp']) * 1000)).toEqual(
      messages.map(() => Date.UTC(2026, 0, 15, 14, 30)),
    )
  })
})

describe('verification with Node', () => {
  const harness = (name: string) => `
    import { readFileSync } from 'node:fs'
    import { ${name} } from './receiver.mjs'
    const cases = JSON.parse(readFileSync(process.env.CASES))
    console.log(JSON.stringify(cases.map((c) => ${name}(c.secret, c.headers, Buffer.from(c.body), c.now))))
    process.exit()`

  it('accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
    await write('verify.mjs', harness('verify'))
    expect(await judge(CASES, process.execPath, 'verify.mjs')).toEqual(expected(CASES))
  })

  it('accepts only the right x-signature', async () => {
    await write('verify-body.mjs', harness('verifyBody'))
    expect(await judge(BODY_CASES, process.execPath, 'verify-body.mjs')).toEqual(expected(BODY_CASES))
  })
})

it('verification with a public key accepts what the private key has signed, just now, and nothing else (Node)', async () => {
  const program = `
    import { readFileSync } from 'node:fs'
    import { verifyPublic } from './verify-public.mjs'
    const cases = JSON.parse(readFileSync(process.env.CASES))
    console.log(JSON.stringify(cases.map((c) => verifyPublic(c.secret, c.headers, Buffer.from(c.body), c.now))))`
  await write('verify-cases.mjs', program)
  expect(await judge(PUBLIC_CASES, process.execPath, 'verify-cases.mjs')).toEqual(expected(PUBLIC_CASES))
})

describe('verification with standardwebhooks', () => {
  const prelude = `
    import { readFileSync } from 'node:fs'
    import { receive } from './receive.mjs'
    const cases = JSON.parse(readFileSync(process.env.CASES))
    const told = []
    async function statusOf({ secret, headers, body, now }) {
      Date.now = () => now * 1000
      const request = new Request('http://receiver.test/', { method: 'POST', headers, body })
      return (await receive(request, secret, (event, planet) => told.push([event, planet.id]))).status
    }
    const statuses = []
    for (const each of cases) statuses.push(await statusOf(each))\n`

  it('accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
    await write('receive-all.mjs', `${prelude}console.log(JSON.stringify(statuses.map((status) => status === 200)))`)
    expect(await judge(CASES, process.execPath, 'receive-all.mjs')).toEqual(expected(CASES))
  })

  it('reports a message once, however often it arrives, and no message that it refuses', async () => {
    const message = caseOf('', FIRST, true)
    await write('cases.json', JSON.stringify([{ ...message, secret: OTHER_SECRET }, message, message]))
    await write('receive-twice.mjs', `${prelude}console.log(JSON.stringify({ statuses, told }))`)
    const env = { ...process.env, CASES: 'cases.json' }
    const { stdout } = await run(process.execPath, ['receive-twice.mjs'], { cwd: folder, env })
    expect(JSON.parse(stdout)).toEqual({ statuses: [401, 200, 200], told: [['planetCreated', 5403]] })
  })
})

describe.runIf(hasPython)('verification with Python', () => {
  const harness = (call: string) => `
import json, os
from receiver import verify, verify_body
cases = json.load(open(os.environ["CASES"], encoding="utf-8"))
print(json.dumps([${call} for c in cases]))
`

  it('accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
    await write('judge.py', harness('verify(c["secret"], c["headers"], c["body"].encode(), c["now"])'))
    expect(await judge(CASES, 'python3', 'judge.py')).toEqual(expected(CASES))
  })

  it('accepts only the right x-signature', async () => {
    await write('judge_body.py', harness('verify_body(c["secret"], c["headers"], c["body"].encode())'))
    expect(await judge(BODY_CASES, 'python3', 'judge_body.py')).toEqual(expected(BODY_CASES))
  })
})

describe.runIf(hasOpenssl)('verification with openssl', () => {
  async function verify({ secret, headers, body, now }: Case, file: string): Promise<string> {
    await write(file, body)
    const args = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name] ?? '')
    const env = { ...process.env, SECRET: secret, NOW: String(now) }
    const output = await run('bash', ['verify.sh', ...args, file], { cwd: folder, env }).catch((error) => error)
    return output.stdout.trim()
  }

  it('accepts valid messages, and refuses those that were changed, are old, or have no timestamp', async () => {
    await forEachOf([...CASES.entries()], AT_ONCE, async ([index, each]) => {
      expect(await verify(each, `body-${index}.json`), each.name).toMatch(each.isGood ? /^verified$/ : /^refused: /)
    })
  })

  it('computes x-signature with one command', async () => {
    const [, line = ''] = codeOf('curl and openssl', 'bash', 1).split('\n')
    for (const { body, 'x-signature': signature } of messages) {
      await write('body.json', body)
      const { stdout } = await run('bash', ['-c', line], { cwd: folder, env: { ...process.env, SECRET: secret } })
      expect(stdout).toBe(signature)
    }
  })
})

describe('beside the running service', () => {
  const galaxy = shareGalaxy()

  it.runIf(hasOpenssl)('the journey works line by line', async () => {
    const [, block = ''] = /## Try it\n.*?```bash\n(.*?)```/s.exec(page) ?? []
    const lines = block.trim().split('\n')
    const script = lines
      .map((line) => `${line.replace('http://localhost:8787', galaxy.url)}\necho; echo "== $? =="`)
      .join('\n')
    const { stdout } = await run('bash', ['-c', script], { timeout: 110_000 })
    const answers = stdout.split(/== 0 ==\n/)
    expect(answers).toHaveLength(lines.length + 1)
    expect(answers.map((answer) => answer.trim()).filter(Boolean)).toEqual([
      expect.stringContaining('"signatures":{"xSignature":"valid","webhookSignature":"valid"}'),
      expect.stringMatching(/^The signature is right: .{44}$/),
      expect.stringContaining('"status":503,"body":"Not today"'),
      expect.stringContaining('"status":200'),
      expect.stringMatching(/"event":"planetExploded".*"status":"pending"/),
      expect.stringMatching(/"status":"delivered".*"status":503.*"response":"Not today".*"status":200/),
      expect.stringContaining('"status":"pending"'),
    ])
  })

  it('the command under "Verify one message" in docs/receivers.md says what is wrong', async () => {
    const page = await readFile(join(ROOT, 'docs', 'receivers.md'), 'utf8')
    const [command = ''] = codesOf(sectionOf(page, '## Verify one message'), 'bash')
    const { stdout } = await run('bash', ['-c', command], {
      env: { ...process.env, GALAXY: galaxy.url },
    })
    expect(JSON.parse(stdout)).toEqual({ valid: false, findings: [{ code: 'hex', detail: expect.any(String) }] })
  })

  const receivers: [string, boolean, Command][] = [
    ['Node', true, [process.execPath, 'receiver.mjs']],
    ['Python', hasPython, ['python3', 'receiver.py']],
  ]

  for (const [language, canRun, command] of receivers) {
    it.runIf(canRun)(`the receiver in ${language} takes a callback, and does nothing when it comes again`, () =>
      receiveTwice(galaxy.url, language, folder, command),
    )
  }
})

describe('npm run data-key', () => {
  const make = async (...args: string[]) =>
    (await run('npm', ['run', '--silent', 'data-key', ...args], { cwd: ROOT })).stdout

  it('prints a key that the service accepts, and can put a newer one before it', async () => {
    const one = await make()
    expect(one).toMatch(/^1:[A-Za-z0-9+/]{43}=$/)
    await write('data-key.txt', one)
    const two = await make('--', join(folder, 'data-key.txt'))
    expect(two.split(',')).toEqual([expect.stringMatching(/^2:[A-Za-z0-9+/]{43}=$/), one])
  })

  it.each([
    ['a file that is missing', undefined, /^The older keys in \S+ cannot be used: ENOENT: no such file[^\n]*\n$/],
    ['a file that is not JSON', 'secret-key', /^The older keys in \S+ cannot be used: it is not valid JSON\.\n$/],
  ])(
    'and npm run signing-keys say in one line, without a secret, that they cannot use %s',
    async (_, content, line) => {
      const file = join(folder, 'older-keys')
      await rm(file, { force: true })
      if (content !== undefined) await writeFile(file, content)
      const command = content === undefined ? 'data-key' : 'signing-keys'
      const failed = run('npm', ['run', '--silent', command, '--', file], { cwd: ROOT })
      await expect(failed).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(line) })
    },
  )
})
