import { type Account, accountOf, inventAccount, type SignUp } from './account.ts'
import type { Answer, Members } from './answer.ts'
import { Client, type RequestOptions } from './client.ts'
import { bearer, type Credential } from './credentials.ts'
import { NotTried } from './failure.ts'
import { type Inbox, makeInbox } from './inbox.ts'
import { once } from './once.ts'

/** What the checks may do in a world. */
export type Rights =
  /** Everything. The world is a universe of this run. */
  | 'everything'
  /** Create accounts and planets, which are deleted at the end. The user has named the world (`--world`). */
  | 'accounts'
  /** Only read (`--read-only`). */
  | 'reading'

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']
/** The id of an account whose id is not needed, because only its credential is used. */
const UNKNOWN_ID = 0

/** The world in which checks create what they need. */
export class World extends Client {
  readonly rights: Rights
  /** All sign-ups that were made up. Some are never sent, and some are refused. */
  readonly #invented: SignUp[] = []
  /** The sign-ups that got no response, so an account may exist. */
  readonly #unsure: SignUp[] = []
  readonly #accounts: Account[] = []
  readonly #planets: number[] = []
  readonly #owner: () => Promise<Account>
  readonly #stranger = once(() => this.signUp())
  readonly #inbox = once(() => makeInbox(this))

  /** @param owner The owner of a universe; undefined in other worlds, in which an owner signs up when it is needed */
  constructor(client: Client, rights: Rights, owner?: Account) {
    super(client.url, client.signal, client.timeoutMs)
    this.rights = rights
    this.#owner = once(async () => owner ?? (await this.signUp()))
  }

  /** The account whose planets the checks use. */
  owner = (): Promise<Account> => this.#owner()

  /** Another account. The number of sign-ups is limited, so checks share it. */
  stranger = (): Promise<Account> => this.#stranger()

  /** An inbox. The number of new inboxes is limited, so checks share it, and each uses a path of its own. */
  inbox = (): Promise<Inbox> => this.#inbox()

  /** The credential of the owner. */
  async credential(): Promise<Credential> {
    return (await this.owner()).credential
  }

  /**
   * A token of the owner. Checks share it, because the number of attempts at `POST /auth/token` is limited. In a
   * universe, it is the token that came with the universe.
   */
  bearer = once(async () => {
    const { email, password, credential } = await this.owner()
    if (this.rights === 'everything') return credential
    const answer = await this.post('/auth/token', { json: { email, password } })
    return bearer(answer.expectStatus(201).json().token)
  })

  /** Makes up somebody who has no account. If a check signs this person up, the account is deleted at the end. */
  invent(): SignUp {
    const signUp = inventAccount()
    this.#invented.push(signUp)
    return signUp
  }

  async signUp(): Promise<Account> {
    const signUp = this.invent()
    const answer = await this.post('/user/signup', { json: signUp })
    return accountOf(answer.expectStatus(201).json().id, signUp)
  }

  /** Creates a planet. @returns The body of the 201 */
  async makePlanet(fields: object = {}, as?: Credential): Promise<Members> {
    const answer = await this.post('/planets', {
      as: as ?? (await this.credential()),
      json: { name: 'Arrakis', ...fields },
    })
    return answer.expectStatus(201).json()
  }

  /** Any planet: a new one, or the first one of the list if nothing may be created. */
  async anyPlanet(): Promise<Members> {
    if (this.rights !== 'reading') return await this.makePlanet()
    const [planet] = (await this.get('/planets?limit=1')).expectStatus(200).json().data
    if (!planet) throw new NotTried('there is no planet, and none may be created')
    return planet
  }

  /** Creates an API key of the owner. */
  async makeKey(scopes?: readonly string[]): Promise<string> {
    const json = { name: 'conformance', ...(scopes && { scopes }) }
    const answer = await this.post('/me/api-keys', { as: await this.credential(), json })
    return answer.expectStatus(201).json().key
  }

  override async send(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    if (this.rights === 'reading' && !SAFE_METHODS.includes(method)) throw new Error(`${method} is not reading`)
    const answer = await super.send(method, path, options).catch((error) => {
      // Without a response, the account may exist or not.
      if (path === '/user/signup') this.#unsure.push(...this.#signUpsIn(options))
      throw error
    })
    if (this.rights === 'accounts' && answer.status === 201) this.#note(answer, options)
    return answer
  }

  /** Notes what has to be deleted at the end. */
  #note(answer: Answer, options: RequestOptions): void {
    const [, id] = /\/planets\/(\d+)$/.exec(answer.headers.get('Location') ?? '') ?? []
    if (id !== undefined) this.#planets.push(Number(id))
    if (!answer.headers.get('Location')?.endsWith('/me')) return
    this.#accounts.push(...this.#signUpsIn(options).map((signUp) => accountOf(UNKNOWN_ID, signUp)))
  }

  /** The invented sign-ups whose e-mail address is in a request. */
  #signUpsIn({ json, xml }: RequestOptions): SignUp[] {
    const body = xml ?? JSON.stringify(json) ?? ''
    return this.#invented.filter(({ email }) => body.includes(email))
  }

  /**
   * Deletes the accounts that were created here, and their planets. It does nothing in a universe, which ends as a
   * whole.
   *
   * @returns What could not be deleted, in words
   */
  async clear(): Promise<string[]> {
    // The run may have been aborted by now, so its signal would end these requests at once.
    const client = new Client(this.url, new AbortController().signal, this.timeoutMs)
    const left: string[] = []
    for (const signUp of this.rights === 'accounts' ? this.#unsure : []) {
      const status = await statusOfDelete(client, '/me', accountOf(UNKNOWN_ID, signUp))
      // 401: there is no such account.
      if (status !== 204 && status !== 401)
        left.push(`The account ${signUp.email} may exist, and could not be deleted.`)
    }
    for (const account of this.#accounts) {
      if ((await statusOfDelete(client, '/me', account)) === 204) continue
      left.push(`The account ${account.email} could not be deleted.`)
      // With the account, the service would have deleted its planets. Only the owner has planets, so for other accounts
      // these requests are refused.
      for (const id of this.#planets) await statusOfDelete(client, `/planets/${id}`, account)
    }
    return left
  }
}

/** @returns 0 if there was no response */
async function statusOfDelete(client: Client, path: string, { credential }: Account): Promise<number> {
  const answer = await client.send('DELETE', path, { as: credential }).catch(() => undefined)
  return answer?.status ?? 0
}
