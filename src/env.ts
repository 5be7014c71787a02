import * as z from 'zod'
import { isAtImageHost } from './domain/image-url.ts'
import { KNOWN_DAYS } from './domain/known-addresses.ts'
import { findUniverse } from './domain/universe-address.ts'
import { isAtEchoHost } from './domain/url-guard.ts'
import { SEED_FORM } from './lib/ids.ts'
import type { DataKey } from './lib/vault.ts'

/** At most nine digits, so that JavaScript can also count this many megabytes exactly in bytes. */
const WHOLE_NUMBER = /^[0-9]{1,9}$/

/** A whole number in a variable, which is always a string. */
const wholeNumber = (minimum: number) =>
  z
    .string()
    .regex(WHOLE_NUMBER, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= minimum, `must be at least ${minimum}`)

/**
 * A private RSA key with the members that signing needs (RFC 7517, section 4; RFC 7518, section 6.3). Other members are
 * kept.
 */
const SigningKey = z.looseObject({
  kty: z.literal('RSA'),
  kid: z.string().min(1),
  n: z.string(),
  e: z.string(),
  d: z.string(),
})

const SigningKeySet = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(
    z.object({
      keys: z
        .tuple([SigningKey], SigningKey)
        .refine(
          (keys) => new Set(keys.map(({ kid }) => kid)).size === keys.length,
          'must not have two keys with the same kid',
        ),
    }),
  )

/** A comma-separated list of `issuer|audience`. */
const ForeignIssuers = z.string().transform((text, context) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item): ForeignIssuer => {
      const [issuer = '', audience = '', ...surplus] = item.split('|').map((part) => part.trim())
      const isUsable =
        /^https?:\/\/[^?#]+$/.test(issuer) && URL.canParse(issuer) && audience !== '' && surplus.length === 0
      if (!isUsable)
        context.addIssue({
          code: 'custom',
          message: 'must be a comma-separated list of issuer|audience, where each issuer is an http or https URL',
        })
      return { issuer, audience }
    }),
)

/** An external OpenID provider. Its tokens are accepted if they are for this audience. */
export interface ForeignIssuer {
  /** The URL of the provider, exactly as in its tokens. */
  issuer: string
  audience: string
}

const RETRIES_MAX = 20
const WEEK_SECONDS = 7 * 24 * 60 * 60

/** Seconds to wait before each retry, comma-separated. */
const RetrySchedule = z.string().transform((text, context) => {
  const delays = text.split(',').map((item) => item.trim())
  const isUsable = delays.every((item) => WHOLE_NUMBER.test(item) && Number(item) >= 1 && Number(item) <= WEEK_SECONDS)
  if (isUsable && delays.length <= RETRIES_MAX) return delays.map(Number)
  const message = `must be a comma-separated list of at most ${RETRIES_MAX} whole numbers of seconds, each from 1 to ${WEEK_SECONDS}`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** What an account may store. If the limits are off, each limit is a number that no account can reach. */
export interface AccountLimits {
  /** Number of planets, and of celestial bodies that are not satellites of another body. */
  bodies: number
  /** Size of these bodies in bytes, including their satellites. */
  bodyBytes: number
  /** Number of uploaded images that planets use, and their size in bytes. */
  images: number
  imageBytes: number
  /** Number of entries in the delivery log. */
  deliveries: number
}

/** How many inboxes can be made in an hour: from each client address, or in the whole world. */
export interface InboxLimit {
  perHour: number
  countsPer: 'address' | 'world'
}

const UNREACHABLE = Number.MAX_SAFE_INTEGER
const NO_LIMITS: AccountLimits = {
  bodies: UNREACHABLE,
  bodyBytes: UNREACHABLE,
  images: UNREACHABLE,
  imageBytes: UNREACHABLE,
  deliveries: UNREACHABLE,
}

const MEGABYTE = 1_000_000
const LIMITS_COUNT = 5

/** `off`, or a whole number for each limit, comma-separated. */
const AccountLimits = z.string().transform((text, context): AccountLimits => {
  if (text === 'off') return NO_LIMITS
  const items = text.split(',').map((item) => item.trim())
  const isUsable = items.length === LIMITS_COUNT && items.every((item) => WHOLE_NUMBER.test(item))
  const [bodies = 0, bodyMegabytes = 0, images = 0, imageMegabytes = 0, deliveries = 0] = items.map(Number)
  if (isUsable)
    return { bodies, bodyBytes: bodyMegabytes * MEGABYTE, images, imageBytes: imageMegabytes * MEGABYTE, deliveries }
  const message = `must be off, or ${LIMITS_COUNT} whole numbers, comma-separated: the number of planets and celestial bodies, their size in megabytes, the number of images, their size in megabytes, the number of deliveries`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** How many calls the service makes to one host, for all users together. */
export interface TargetLimits {
  /** Number of calls at the same time. */
  concurrent: number
  /** Calls per minute, unless the host has returned a 2xx within the last 30 days. */
  callsUnproven: number
  /** Calls per minute, if the host has returned a 2xx within the last 30 days. */
  callsProven: number
}

const CONCURRENT_MAX = 100
/** A delivery can need three calls to one host: discovery of the issuer, the token request, and the call itself. */
const CALLS_MIN = 3
const CALLS_MAX = 100_000

/** `off`, or three whole numbers, comma-separated. */
const TargetLimits = z.string().transform((text, context): TargetLimits | undefined => {
  if (text === 'off') return undefined
  const items = text.split(',').map((item) => item.trim())
  const [concurrent = 0, callsUnproven = 0, callsProven = 0] = items.map(Number)
  const isUsable =
    items.length === 3 &&
    items.every((item) => WHOLE_NUMBER.test(item)) &&
    concurrent >= 1 &&
    concurrent <= CONCURRENT_MAX &&
    callsUnproven >= CALLS_MIN &&
    callsUnproven <= callsProven &&
    callsProven <= CALLS_MAX
  if (isUsable) return { concurrent, callsUnproven, callsProven }
  const message = `must be off, or three whole numbers, comma-separated: concurrent calls (1 to ${CONCURRENT_MAX}), calls per minute until the host has returned a 2xx (at least ${CALLS_MIN}), and calls per minute after that (not fewer, at most ${CALLS_MAX})`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/**
 * The service remembers sign-ins only for this time. With a longer retention, it could not tell whether somebody still
 * uses an account.
 */
const VISITOR_RETENTION_HOURS_MAX = KNOWN_DAYS * 24

const DATA_KEY_BYTES = 32

/** A comma-separated list of keys, each as `version:key`, where the key is in base64. */
const DataKeys = z
  .string()
  .transform((text, context) => {
    const keys = text.split(',').map((item) => parseDataKey(item.trim()))
    if (keys.every((key) => key !== undefined)) return keys
    context.addIssue({
      code: 'custom',
      message: `must be a comma-separated list of version:key, where each key is the base64 of ${DATA_KEY_BYTES} bytes`,
    })
    return z.NEVER
  })
  .pipe(
    z
      // The keys are valid here. The tuple only tells the compiler that there is a first key.
      .tuple([z.custom<DataKey>()], z.custom<DataKey>())
      .refine(
        (keys) => new Set(keys.map(({ version }) => version)).size === keys.length,
        'must not have two keys with the same version',
      ),
  )

/**
 * Parses `version:key`. The base64 of 32 bytes has 43 characters and a `=`.
 *
 * @returns Undefined if the text is not valid
 */
function parseDataKey(text: string): DataKey | undefined {
  const [, version, base64] = /^(\w{1,20}):([A-Za-z0-9+/]{43}=)$/.exec(text) ?? []
  return version && base64 ? { version, bytes: Uint8Array.fromBase64(base64) } : undefined
}

const CONTACT_CHARACTERS_MAX = 500

const origin = z.url({ protocol: /^https?$/ }).transform((text) => new URL(text).origin)

/** `host` or `host:port`, as in a URL. */
const host = z
  .string()
  .regex(/^[\w.:[\]-]+$/)
  .refine((text) => URL.canParse(`http://${text}`))
  .transform((text) => new URL(`http://${text}`).host)

/** A comma-separated list of `host` or `host:port`; empty if there is none. */
const hosts = z
  .string()
  .transform((text) => (text === '' ? [] : text.split(',').map((item) => item.trim())))
  .pipe(z.array(host))

/** A host that can have hosts below it. An IP address cannot. */
const domain = host.refine((text) => !text.startsWith('.') && URL.canParse(`http://a.${text}`))

/** Whether a URL is at the host of a universe. Only this universe can be reached there. */
function isAtUniverse(url: string, universeHost: string | undefined): boolean {
  const address = findUniverse(new URL(url), universeHost)
  return address !== undefined && address !== 'no-universe'
}

/**
 * An address for reports: an e-mail address, or the URL of a page. It is a line of security.txt, so it becomes ASCII.
 */
const contact = z
  .url({ protocol: /^(?:mailto|https)$/ })
  // The URL parser also accepts `mailto:` without an address, and `https:` without `//`.
  .regex(/^(?:mailto:[^@]+@|https:\/\/[^/])./i)
  .max(CONTACT_CHARACTERS_MAX)
  .transform((text) => new URL(text).href)

const onOrOff = z.enum(['on', 'off']).transform((value) => value === 'on')

/** Whether the host of images also serves something else: the service, the echo or universes. */
function sharesImageHost(env: {
  IMAGE_HOST: string | undefined
  PUBLIC_URL: string | undefined
  ECHO_HOST: string | undefined
  UNIVERSE_HOST: string | undefined
}): boolean {
  const { IMAGE_HOST, PUBLIC_URL, ECHO_HOST, UNIVERSE_HOST } = env
  if (IMAGE_HOST === undefined) return false
  const otherHosts = [ECHO_HOST, UNIVERSE_HOST].filter((name) => name !== undefined)
  const otherUrls = [...(PUBLIC_URL === undefined ? [] : [PUBLIC_URL]), ...otherHosts.map((name) => `http://${name}`)]
  const isBelowUniverseHost = findUniverse(new URL(`http://${IMAGE_HOST}`), UNIVERSE_HOST) !== undefined
  return isBelowUniverseHost || otherUrls.some((url) => isAtImageHost(new URL(url), IMAGE_HOST))
}

/** Every variable and secret of the service, with its valid values. wrangler.toml has the deployed values. */
const Config = z
  .object({
    PUBLIC_URL: z.union([z.literal('').transform(() => undefined), origin], 'must be empty or an http(s) URL'),
    ECHO_HOST: z.union([z.literal('').transform(() => undefined), host], 'must be empty, host or host:port'),
    OWN_ADDRESSES: z.union([hosts], 'must be empty, or a comma-separated list of host or host:port'),
    IMAGE_HOST: z.union([z.literal('').transform(() => undefined), host], 'must be empty, host or host:port'),
    REPORT_CONTACT: z.union(
      [z.literal('').transform(() => undefined), contact],
      'must be empty, or the URL of a mail address (mailto) or of a page (https)',
    ),
    SIGNUP: z.enum(['open', 'closed']),
    SIGNUP_RATE_LIMIT: wholeNumber(1),
    INBOX_RATE_LIMIT: wholeNumber(1),
    DEVICE_RATE_LIMIT: wholeNumber(1),
    DEVICE_CODE_SECONDS: wholeNumber(1),
    TOKEN_RATE_LIMIT: wholeNumber(1),
    TOKEN_RATE_WINDOW: wholeNumber(1),
    PASSWORD_ITERATIONS: wholeNumber(1),
    SOCKET_LIMIT: wholeNumber(1),
    UNIVERSES: onOrOff,
    UNIVERSE_HOST: z.union(
      [z.literal('').transform(() => undefined), domain],
      'must be empty, or a host name (not an address), with or without a port',
    ),
    UNIVERSE_RATE_LIMIT: wholeNumber(1),
    DEMO_CONTROLS: onOrOff,
    SEED: z.union(
      [z.literal('').transform(() => undefined), z.string().regex(SEED_FORM)],
      'must be empty, or 1 to 64 letters, digits, ".", "_" and "-"',
    ),
    LOG_REQUESTS: onOrOff,
    WRITE_RATE_LIMIT: onOrOff,
    SEARCH_RATE_LIMIT: onOrOff,
    OAUTH_LEGACY_FLOWS: onOrOff,
    OIDC_ISSUERS: ForeignIssuers,
    CALLBACK_ALLOW_PRIVATE: onOrOff,
    CALLBACK_RETRY_SECONDS: RetrySchedule,
    CALLBACK_TARGET_LIMITS: TargetLimits,
    RETENTION_HOURS: wholeNumber(1),
    VISITOR_RETENTION_HOURS: z.union(
      [
        z.literal('').transform(() => undefined),
        wholeNumber(1).refine((hours) => hours <= VISITOR_RETENTION_HOURS_MAX),
      ],
      `must be empty or a whole number from 1 to ${VISITOR_RETENTION_HOURS_MAX}`,
    ),
    ACCOUNT_LIMITS: AccountLimits,
    SIGNING_KEYS: SigningKeySet,
    DATA_KEY: DataKeys,
  })
  .refine(({ PUBLIC_URL, ECHO_HOST }) => !PUBLIC_URL || !isAtEchoHost(new URL(PUBLIC_URL), ECHO_HOST), {
    path: ['ECHO_HOST'],
    message: 'must be a different host from that of PUBLIC_URL, because the echo uses the whole host',
  })
  .refine(({ PUBLIC_URL, UNIVERSE_HOST }) => !PUBLIC_URL || !isAtUniverse(PUBLIC_URL, UNIVERSE_HOST), {
    path: ['PUBLIC_URL'],
    message: 'must not be the host of a universe, which is below UNIVERSE_HOST',
  })
  .refine(({ ECHO_HOST, UNIVERSE_HOST }) => !ECHO_HOST || !isAtUniverse(`http://${ECHO_HOST}`, UNIVERSE_HOST), {
    path: ['ECHO_HOST'],
    message: 'must not be the host of a universe, which is below UNIVERSE_HOST',
  })
  .refine(({ PUBLIC_URL, SEED }) => !PUBLIC_URL || !SEED, {
    path: ['SEED'],
    message:
      'must be empty if PUBLIC_URL is set, because with a seed everybody could guess the ids of inboxes and universes',
  })
  .refine((env) => !sharesImageHost(env), {
    path: ['IMAGE_HOST'],
    message:
      'must be a different host from those of PUBLIC_URL, ECHO_HOST and UNIVERSE_HOST, because it serves only images',
  })
  .transform((env) => ({
    /** The origin of the service; undefined if the service uses the origin of each request. */
    publicUrl: env.PUBLIC_URL,
    /** The host that is an echo on every path; undefined if there is none. */
    echoHost: env.ECHO_HOST,
    /** Addresses at which the service answers besides `publicUrl`, as `host` or `host:port`. */
    ownAddresses: env.OWN_ADDRESSES,
    /** The host that serves only uploaded images; undefined if there is none. */
    imageHost: env.IMAGE_HOST,
    /** Hosts of the service that belong to no world. No callback may go to them. They are the same for every world. */
    closedHosts: env.IMAGE_HOST === undefined ? [] : [env.IMAGE_HOST],
    /** The URL to which reports of abuse and of vulnerabilities go; undefined if there is none. */
    reportContact: env.REPORT_CONTACT,
    signupOpen: env.SIGNUP === 'open',
    /** Sign-ups per hour from one client address. */
    signupsPerHour: env.SIGNUP_RATE_LIMIT,
    /** The inboxes that can be made in an hour. In a universe, this limit is another one (`configInUniverse`). */
    inboxLimit: { perHour: env.INBOX_RATE_LIMIT, countsPer: 'address' } satisfies InboxLimit as InboxLimit,
    /** Codes for devices (RFC 8628) that one client address can request in an hour. */
    deviceCodesPerHour: env.DEVICE_RATE_LIMIT,
    /** The lifetime of these codes. */
    deviceCodeSeconds: env.DEVICE_CODE_SECONDS,
    /** Password attempts from one client address within `passwordWindowSeconds`. */
    passwordAttempts: env.TOKEN_RATE_LIMIT,
    passwordWindowSeconds: env.TOKEN_RATE_WINDOW,
    passwordIterations: env.PASSWORD_ITERATIONS,
    /** Open WebSockets and streams of one user or, without credentials, of one client address. */
    socketLimit: env.SOCKET_LIMIT,
    /** Whether visitors can make universes, and use those that exist. */
    universesOn: env.UNIVERSES,
    /** The wildcard domain of universes; undefined if they are addressed by path only. */
    universeHost: env.UNIVERSE_HOST,
    /** Universes that one client address can make in an hour. */
    universesPerHour: env.UNIVERSE_RATE_LIMIT,
    /** Whether callers may request a response or a delay with `Prefer`. */
    demoControls: env.DEMO_CONTROLS,
    /** The seed of all ids; undefined if ids are random. */
    seed: env.SEED,
    /** Whether each request, message and sweep writes a line of the log. */
    logsRequests: env.LOG_REQUESTS,
    /** Whether the write rate of each user is limited. */
    limitsWrites: env.WRITE_RATE_LIMIT,
    limitsSearches: env.SEARCH_RATE_LIMIT,
    /** Whether OAuth's implicit and password grants are enabled. */
    legacyFlows: env.OAUTH_LEGACY_FLOWS,
    foreignIssuers: env.OIDC_ISSUERS,
    /** Whether callbacks may go to private and loopback addresses. */
    allowsPrivateTargets: env.CALLBACK_ALLOW_PRIVATE,
    /** The delay before each retry of a callback in seconds, one item for each retry. */
    retrySeconds: env.CALLBACK_RETRY_SECONDS,
    /** The call limits of each host; undefined if calls are not limited. */
    targetLimits: env.CALLBACK_TARGET_LIMITS,
    /** How many hours a delivery stays in the log after its end. */
    retentionHours: env.RETENTION_HOURS,
    /** The age in hours at which the data of visitors is removed; undefined if it is kept. */
    visitorRetentionHours: env.VISITOR_RETENTION_HOURS,
    accountLimits: env.ACCOUNT_LIMITS,
    /** Private JSON Web Keys (RFC 7517). The first one signs. All of them verify. */
    signingKeys: env.SIGNING_KEYS.keys,
    /** Keys that encrypt stored secrets. The first one encrypts. All of them decrypt. */
    dataKeys: env.DATA_KEY,
  }))

export type Config = z.infer<typeof Config>
export type SigningKey = z.infer<typeof SigningKey>

/**
 * @throws Error with the name of every variable that is missing or invalid. Its message contains no values, because
 * some of them are secret.
 */
export function parseConfig(env: object): Config {
  const result = Config.safeParse(env)
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The service cannot start because its configuration is not valid:\n${faults.join('\n')}`)
}
