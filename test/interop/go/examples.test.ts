import { spawn } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { registerClient, UserAgent } from '../../support/oauth.ts'
import { makeDefectiveTokens } from '../defective-tokens.ts'
import { describeLanguage, documentFile, makeBuildFolder, run, serviceUrl } from '../journey.ts'
import { codesAtService, folder, go } from './go.ts'

// What the documentation says to users of Go, besides the clients of generators (go.test.ts).

describeLanguage('go', () => {
  it('create a planet as docs/tools.md says under "Go"', async () => {
    const place = await makeBuildFolder('go', 'quick_start')
    const [generate = '', start = ''] = codesAtService('### Go', 'bash')
    await run(['bash', '-ec', generate], place)
    await writeFile(join(place, 'main.go'), codesAtService('### Go', 'go').join(''))
    expect(await run(['gofmt', '-l', 'main.go'], place)).toBe('')
    expect(await run(['bash', '-ec', start], place)).toMatch(/^\d+ Arrakis \S*\/planets\/\d+\n$/)
  })

  it('kin-openapi accepts the document', async () => {
    const program = join(folder, 'build', 'bin', 'validators')
    await go('-C', 'validators', 'build', `-o=${program}`, '.')
    const { paths } = JSON.parse(await readFile(documentFile(), 'utf8'))
    expect(await run([program, documentFile()], folder)).toBe(`${Object.keys(paths).length}\n`)
  })

  it('go-oidc and x/oauth2 sign a user in, renew the token, and act as the client', async () => {
    const account = { email: `ada-${crypto.randomUUID()}@galaxy.test`, password: 'i-love-planets' }
    const send = (path: string, init?: RequestInit) => fetch(serviceUrl() + path, init)
    const headers = { 'Content-Type': 'application/json' }
    await send('/user/signup', { method: 'POST', headers, body: JSON.stringify(account) })
    const redirectUri = 'http://127.0.0.1:5555/callback'
    const metadata = {
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
    }
    const basic = `Basic ${btoa(`${account.email}:${account.password}`)}`
    const { id, secret = '' } = await registerClient(send, metadata, basic)

    const name = join(folder, 'build', 'bin', 'sign_in')
    await go('build', `-o=${name}`, './sign_in')
    const variables = { GALAXY_URL: serviceUrl(), CLIENT_ID: id, CLIENT_SECRET: secret }
    const program = spawn(name, {
      env: { ...process.env, ...variables, REDIRECT_URI: redirectUri },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]()
    const { value: address = '' } = await lines.next()
    const { pathname, search } = new URL(address)
    const browser = new UserAgent(send)
    await browser.open(pathname + search)
    await browser.submit(account)
    const redirect = await browser.submit({ decision: 'allow' })
    program.stdin.end(`${redirect}\n`)
    // The status of a request with the renewed token, and of one with the token of the client itself.
    expect(await Array.fromAsync(lines)).toEqual([account.email, '200', '200'])
  })

  it('go-oidc refuses every token of the laboratory that can be refused without asking', async () => {
    const { tokens, url } = await makeDefectiveTokens(serviceUrl())
    const name = join(folder, 'build', 'bin', 'verify_tokens')
    await go('build', `-o=${name}`, './verify_tokens')
    const program = spawn(name, { env: { ...process.env, GALAXY_URL: url }, stdio: ['pipe', 'pipe', 'inherit'] })
    program.stdin.end(
      Object.entries(tokens)
        .map(([defect, token]) => `${defect} ${token}\n`)
        .join(''),
    )
    const lines = await Array.fromAsync(createInterface({ input: program.stdout }))
    const accepted = lines.filter((line) => line.endsWith(' accepted')).map((line) => line.split(' ')[0])
    expect(lines).toHaveLength(Object.keys(tokens).length)
    // The last two are in order for whoever has only the keys.
    expect(accepted).toEqual(['control', 'revoked', 'no-scope'])
  })
})
