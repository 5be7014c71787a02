import { ForeignIssuers } from '../../src/auth/foreign-issuers.ts'
import type { ForeignIssuer, SigningKey } from '../../src/env.ts'
import { type Original, secondsFromNow, sign } from './forge.ts'
import { makeSigningKeySet } from './keys.ts'

type Answer = () => Response | Promise<Response>

const keys = new Map<string, Promise<SigningKey>>()

/** Each provider has its own key, which is created only once, because that takes long. */
function keyOf(issuer: string): Promise<SigningKey> {
  const key = keys.get(issuer) ?? makeSigningKeySet()
  keys.set(issuer, key)
  return key
}

/** A foreign OpenID provider: it serves its discovery document and its keys, and records the requests. */
export class ForeignProvider {
  readonly issuer: string
  readonly audience = 'https://galaxy.test/api'
  /** The requested URLs, in order. */
  readonly calls: string[] = []
  /** The signing key; the provider publishes its public part, unless `answers` replaces that. */
  key: SigningKey
  /** Responses that replace the usual ones, by URL. */
  readonly answers = new Map<string, Answer>()

  private constructor(issuer: string, key: SigningKey) {
    this.issuer = issuer
    this.key = key
  }

  static async create(issuer = 'https://id.example'): Promise<ForeignProvider> {
    return new ForeignProvider(issuer, await keyOf(issuer))
  }

  get discoveryUrl(): string {
    return `${this.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  }

  get keysUrl(): string {
    return `${this.issuer.replace(/\/$/, '')}/keys`
  }

  /** Its entry in OIDC_ISSUERS. */
  get trusted(): ForeignIssuer {
    return { issuer: this.issuer, audience: this.audience }
  }

  /** The configuration of a service that trusts only this provider. */
  issuers(): ForeignIssuers {
    return new ForeignIssuers([this.trusted], this.fetch)
  }

  readonly fetch: typeof fetch = async (input) => {
    const url = input instanceof Request ? input.url : String(input)
    this.calls.push(url)
    const answer = this.answers.get(url) ?? this.#documents[url]
    return answer ? await answer() : new Response('nothing here', { status: 404 })
  }

  get #documents(): Record<string, Answer> {
    const { kty, n, e, kid } = this.key
    return {
      [this.discoveryUrl]: () => Response.json({ issuer: this.issuer, jwks_uri: this.keysUrl }),
      [this.keysUrl]: () => Response.json({ keys: [{ kty, n, e, kid, alg: 'RS256', use: 'sig' }] }),
    }
  }

  /** An access token before it is signed. */
  tokenOf(subject: string, scopes: readonly string[]): Original {
    return {
      header: { alg: 'RS256', typ: 'at+jwt', kid: this.key.kid },
      claims: {
        iss: this.issuer,
        aud: this.audience,
        sub: subject,
        scope: scopes.join(' '),
        iat: secondsFromNow(0),
        exp: secondsFromNow(300),
      },
      key: this.key,
    }
  }

  /** An access token that is valid except for the given claims. */
  async issue(
    subject: string,
    scopes: readonly string[],
    { header, claims, key }: Partial<Original> = {},
  ): Promise<string> {
    const good = this.tokenOf(subject, scopes)
    return await sign({
      header: { ...good.header, ...header },
      claims: { ...good.claims, ...claims },
      key: key ?? good.key,
    })
  }
}
