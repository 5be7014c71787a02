import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Account,
  bodyOf,
  CHALLENGE,
  type Client,
  createAccount,
  createClient,
  createPlanet,
  ORIGIN,
} from '../../support/app.ts'

let client: Client
let address: string

beforeEach(() => {
  client = createClient()
  // The limits count by address: each test calls from an address of its own.
  address = crypto.randomUUID()
})

const newEmail = () => `${crypto.randomUUID()}@galaxy.test`

function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return client.send(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', 'CF-Connecting-IP': address, ...headers },
  })
}

describe('sign-up', () => {
  it('creates a user who can then sign in and is shown at /me', async () => {
    const email = newEmail()
    const response = await post('/user/signup', { name: 'Marc', email, password: 'i-love-scalar' })
    expect(response.status).toBe(201)
    expect(response.headers.get('Location')).toBe(`${ORIGIN}/me`)
    const user = await bodyOf(response)
    expect(user).toEqual({ id: expect.any(Number), name: 'Marc' })
    const { token } = await bodyOf(await post('/auth/token', { email, password: 'i-love-scalar' }))
    const me = await client.get('/me', { Authorization: `Bearer ${token}` })
    expect(me.headers.get('Cache-Control')).toBe('no-store')
    expect(await bodyOf(me)).toEqual(user)
  })

  it('accepts the examples of the public document', async () => {
    for (const [name, password] of [
      ['Marc', 'i-love-scalar'],
      ['Cam', 'scalar-is-cool'],
      ['Hans', '5c4l4r'],
    ]) {
      expect((await post('/user/signup', { name, email: newEmail(), password })).status).toBe(201)
    }
  })

  it('accepts a user without a name, whose name is then absent everywhere', async () => {
    const email = newEmail()
    expect(await bodyOf(await post('/user/signup', { email, password: 'secret' }))).toEqual({ id: expect.any(Number) })
    const { token } = await bodyOf(await post('/auth/token', { email, password: 'secret' }))
    const account: Account = { id: 0, email, password: 'secret', token }
    const planet = await createPlanet(client, account, { name: 'Nameless' })
    expect(Object.keys(planet.creator)).toEqual(['id'])
  })

  it.each(['a@xn--p1ai.xn--p1ai', 'a!#$%&*/=?^`{|}~@b.co', 'a+b@c-d.museum'])(
    'accepts the address %s',
    async (email) => {
      expect((await post('/user/signup', { email, password: 'secret' })).status).toBe(201)
    },
  )

  it('ignores an id and unknown properties', async () => {
    const user = await bodyOf(
      await post('/user/signup', { id: 1, email: newEmail(), password: 'secret', role: 'admin' }),
    )
    expect(user.id).not.toBe(1)
    expect(user).not.toHaveProperty('role')
  })

  it.each([
    [{ email: 'a@b', password: 'secret' }, ['/email']],
    [{ email: 'a@b-.co', password: 'secret' }, ['/email']],
    [{ email: 'not an e-mail', password: 'secret' }, ['/email']],
    [{ email: `${'a'.repeat(250)}@b.co`, password: 'secret' }, ['/email']],
    [{}, ['/email', '/password']],
    [{ email: 7, password: null, name: '' }, ['/email', '/password', '/name']],
    [{ email: 'a@b.co', password: 'secret', name: 'x'.repeat(201) }, ['/name']],
    [{ email: 'a@b.co', password: 'sec\u0000ret' }, ['/password']],
    [[], ['']],
  ])('rejects %j with 400 and pointers to all errors', async (body, pointers) => {
    const response = await post('/user/signup', body)
    expect(response.status).toBe(400)
    const { errors } = await bodyOf(response)
    expect(errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([...pointers].sort())
  })

  it('accepts an e-mail of 254 characters and a name of 200, and no longer ones', async () => {
    const email = (length: number) =>
      `${crypto.randomUUID()}@${'a.'.repeat(105)}co`.padStart(length, 'x').slice(-length)
    const status = async (body: object) => (await post('/user/signup', { password: 'secret', ...body })).status
    expect([await status({ email: email(254) }), await status({ email: email(255) })]).toEqual([201, 400])
    const named = (length: number) => status({ email: newEmail(), name: '🪐'.repeat(length) })
    expect([await named(1), await named(200), await named(201)]).toEqual([201, 201, 400])
  })

  it.each([
    ['five characters', 'abcde', 422],
    ['six characters', 'abcdef', 201],
    ['six characters beyond the basic plane', '🪐🪐🪐🪐🪐🪐', 201],
    ['256 characters', 'x'.repeat(256), 201],
    ['257 characters', 'x'.repeat(257), 422],
  ])('checks the length of a password of %s', async (_, password, status) => {
    expect((await post('/user/signup', { email: newEmail(), password })).status).toBe(status)
  })

  it('rejects the e-mail address as password, in any case', async () => {
    const email = newEmail()
    const response = await post('/user/signup', { email, password: email.toUpperCase() })
    expect(response.status).toBe(422)
    expect((await bodyOf(response)).errors).toEqual([
      { pointer: '/password', detail: 'must not be the e-mail address' },
    ])
  })

  it('rejects an e-mail that is taken, in any case', async () => {
    const email = newEmail()
    await post('/user/signup', { email, password: 'secret' })
    const response = await post('/user/signup', { email: email.toUpperCase(), password: 'another' })
    expect(response.status).toBe(409)
    expect((await bodyOf(response)).errors).toEqual([{ pointer: '/email', detail: 'already belongs to an account' }])
  })

  it('succeeds for one of twenty requests with one e-mail at the same moment', async () => {
    const email = newEmail()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => post('/user/signup', { email, password: 'secret' })),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)])
    const row = await env.DB.prepare('select count(*) as users from users where email_key = ?').bind(email).first()
    expect(row).toEqual({ users: 1 })
  })

  it('stores no password, only a hash that records its parameters', async () => {
    const email = newEmail()
    await post('/user/signup', { email, password: 'very secret words' })
    const row = await env.DB.prepare('select * from users where email_key = ?').bind(email).first()
    expect(JSON.stringify(row)).not.toContain('very secret words')
    const { passwordIterations } = client.services.config
    expect(row?.password_hash).toMatch(
      new RegExp(`^\\$pbkdf2-sha256-chain\\$i=${passwordIterations}\\$[A-Za-z0-9+/=]{24}\\$[A-Za-z0-9+/=]{44}$`),
    )
  })

  it('is closed if the operator closed it', async () => {
    client = createClient({ config: { signupOpen: false } })
    const response = await post('/user/signup', { email: newEmail(), password: 'secret' })
    expect(response.status).toBe(403)
    expect((await bodyOf(response)).type).toBe(`${ORIGIN}/problems/signup-closed`)
  })

  it('stops one address at its hourly limit of sign-ups, and no other address', async () => {
    client = createClient({ config: { signupsPerHour: 2 } })
    const statuses = []
    for (let i = 0; i < 3; i++)
      statuses.push((await post('/user/signup', { email: newEmail(), password: 'secret' })).status)
    expect(statuses).toEqual([201, 201, 429])
    address = crypto.randomUUID()
    expect((await post('/user/signup', { email: newEmail(), password: 'secret' })).status).toBe(201)
  })
})

describe('the token endpoint', () => {
  it('issues a token that is valid for an hour and no longer', async () => {
    const account = await createAccount(client)
    const response = await post('/auth/token', account)
    expect(response.status).toBe(201)
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    const { token, ...rest } = await bodyOf(response)
    expect(rest).toEqual({})
    const at = (minutes: number) => createClient({ now: () => new Date(Date.now() + minutes * 60_000) })
    expect((await at(59).get('/me', { Authorization: `Bearer ${token}` })).status).toBe(200)
    const late = await at(61).get('/me', { Authorization: `Bearer ${token}` })
    expect(late.status).toBe(401)
    expect(late.headers.get('WWW-Authenticate')).toContain('error_description="The token has expired."')
  })

  it('issues a token that names this service as issuer and audience, and its key', async () => {
    const { token } = await bodyOf(await post('/auth/token', await createAccount(client)))
    const [header, claims] = token.split('.').map((part: string) => part && tryParse(part))
    expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) })
    expect(claims).toMatchObject({ iss: ORIGIN, aud: ORIGIN, exp: claims.iat + 3600, jti: expect.any(String) })
  })

  it('accepts the e-mail in any case', async () => {
    const { email, password } = await createAccount(client)
    expect((await post('/auth/token', { email: email.toUpperCase(), password })).status).toBe(201)
  })

  it('gives the same response for an unknown e-mail and a wrong password', async () => {
    const { email, password } = await createAccount(client)
    const wrong = await post('/auth/token', { email, password: `${password}x` })
    const unknown = await post('/auth/token', { email: newEmail(), password })
    for (const response of [wrong, unknown]) {
      expect(response.status).toBe(401)
      expect(response.headers.get('WWW-Authenticate')).toBe(CHALLENGE)
    }
    expect((await bodyOf(wrong)).detail).toBe((await bodyOf(unknown)).detail)
  })

  it('rejects sign-in to an account without a password', async () => {
    const email = newEmail()
    await env.DB.prepare('insert into users (email, email_key, created_at) values (?1, ?1, 0)').bind(email).run()
    expect((await post('/auth/token', { email, password: 'anything' })).status).toBe(401)
  })

  it('reports that an account is suspended, but only with its password', async () => {
    const account = await createAccount(client)
    await env.DB.prepare('update users set suspended_at = 1 where id = ?').bind(account.id).run()
    expect((await post('/auth/token', account)).status).toBe(403)
    expect((await post('/auth/token', { ...account, password: 'guess' })).status).toBe(401)
  })

  it('makes a hash of today out of one that cost less, without ending the session', async () => {
    const { passwordIterations } = client.services.config
    const account = await createAccount(createClient({ config: { passwordIterations: passwordIterations - 1 } }))
    expect((await post('/auth/token', account)).status).toBe(201)
    const row = await env.DB.prepare('select password_hash from users where id = ?').bind(account.id).first()
    expect(row?.password_hash).toContain(`$i=${passwordIterations}$`)
    expect((await post('/auth/token', account)).status).toBe(201)
  })

  it('reports the remaining attempts in every response, and ends them with 429', async () => {
    client = createClient({ config: { passwordAttempts: 3, passwordWindowSeconds: 60 } })
    const account = await createAccount(client)
    const seen = []
    for (const password of [account.password, 'wrong', account.password, account.password]) {
      const response = await post('/auth/token', { ...account, password })
      seen.push([response.status, response.headers.get('X-RateLimit-Remaining')])
      expect(response.headers.get('X-RateLimit-Limit')).toBe('3')
      expect(Number(response.headers.get('X-RateLimit-Reset'))).toBeGreaterThan(50)
      expect(response.headers.get('Retry-After')).toBe(
        response.status === 429 ? response.headers.get('X-RateLimit-Reset') : null,
      )
    }
    expect(seen).toEqual([
      [201, '2'],
      [401, '1'],
      [201, '0'],
      [429, '0'],
    ])
  })

  it('starts to count again after the window', async () => {
    let now = Date.now()
    client = createClient({ now: () => new Date(now), config: { passwordAttempts: 1, passwordWindowSeconds: 60 } })
    const account = await createAccount(client)
    const attempt = async () => (await post('/auth/token', account)).status
    expect([await attempt(), await attempt()]).toEqual([201, 429])
    now += 59_999
    expect(await attempt()).toBe(429)
    now += 1
    expect([await attempt(), await attempt()]).toEqual([201, 429])
  })

  it('counts parallel attempts one by one', async () => {
    client = createClient({ config: { passwordAttempts: 5 } })
    const account = await createAccount(client)
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('/auth/token', account)))
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(5)
  })

  it('limits guesses at one e-mail from many addresses to ten times the limit', async () => {
    client = createClient({ config: { passwordAttempts: 1 } })
    const account = await createAccount(client)
    const statuses = []
    for (let i = 0; i < 12; i++) {
      address = crypto.randomUUID()
      statuses.push((await post('/auth/token', { ...account, password: 'guess' })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
  })

  it('does not let one address use up the owner’s attempts', async () => {
    client = createClient({ config: { passwordAttempts: 2 } })
    const account = await createAccount(client)
    for (let i = 0; i < 50; i++) await post('/auth/token', { ...account, password: 'guess' })
    address = crypto.randomUUID()
    expect((await post('/auth/token', account)).status).toBe(201)
  })

  it('ignores headers about the address, except the platform’s', async () => {
    client = createClient({ config: { passwordAttempts: 1 } })
    const account = await createAccount(client)
    await post('/auth/token', account, { 'X-Forwarded-For': '192.0.2.1' })
    const response = await post('/auth/token', account, { 'X-Forwarded-For': '192.0.2.2', 'X-Real-IP': '192.0.2.3' })
    expect(response.status).toBe(429)
  })
})

function tryParse(part: string): unknown {
  try {
    return JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}
