import { PasswordWork } from '../auth/password-work.ts'
import { ProvedPasswords } from '../auth/proved-passwords.ts'
import { ReceiverTokens } from '../auth/receiver-tokens.ts'
import { IdStocks } from '../changes/ids.ts'
import { ProblemError } from '../domain/problems.ts'
import { originOf } from '../domain/service-origin.ts'
import { type Era, INBOXES_PER_HOUR, type UniverseControl } from '../domain/universe.ts'
import { isAddressOf, type UniverseAddress, universeHostUrl } from '../domain/universe-address.ts'
import type { Config } from '../env.ts'
import { ForgetfulMap } from '../lib/forgetful-map.ts'
import { Turns } from '../lib/turns.ts'
import type { QueueMessage } from '../schemas/queue-message.ts'
import { createReadiness, REPORTED_LIMITS_MAX, type Services } from '../services.ts'
import { openEmbeddedDatabase } from './embedded-database.ts'
import { readFigures } from './figures.ts'
import { reachedUniverseLimit } from './reached-limit.ts'
import type { UniverseRecord } from './record.ts'
import { imagePrefixOf, openUniverseBucket } from './universe-bucket.ts'
import type { Visit } from './visit.ts'

// The services of a universe: everything in which it differs from the common world, except its routes.

/** The services that exist as long as a universe is in memory: its caches of credentials, its queue and its limits. */
export type OwnServices = Pick<
  Services,
  | 'provedPasswords'
  | 'passwordWork'
  | 'receiverTokens'
  | 'readiness'
  | 'reportedLimits'
  | 'turns'
  | 'callbackQueue'
  | 'sharedCallTargets'
  | 'writeLimiter'
  | 'searchLimiter'
  | 'ids'
  | 'catalogue'
  | 'universes'
  | 'worldId'
  | 'isOwnIssuer'
  | 'config'
>

export function createOwnServices(common: Services, id: string): OwnServices {
  return {
    provedPasswords: new ProvedPasswords(),
    passwordWork: new PasswordWork(),
    receiverTokens: new ReceiverTokens(),
    readiness: createReadiness(),
    reportedLimits: new ForgetfulMap(REPORTED_LIMITS_MAX),
    turns: new Turns(),
    callbackQueue: queueFor(common.callbackQueue, id),
    sharedCallTargets: common.database,
    writeLimiter: limiterIn(id, common.writeLimiter),
    searchLimiter: limiterIn(id, common.searchLimiter),
    // The database is in the same object, so a round trip costs nothing.
    ids: new IdStocks({ takesInAdvance: false }),
    // The owner can change the shipped planets, so they are not kept in memory.
    catalogue: undefined,
    universes: undefined,
    config: configInUniverse(common.config),
    worldId: id,
    isOwnIssuer: (issuer) => isAddressOf(id, issuer, common.config),
  }
}

/** Counts the keys of a universe beside those of the other worlds. */
function limiterIn(id: string, limiter: RateLimit): RateLimit {
  return { limit: ({ key }) => limiter.limit({ key: `${id}/${key}` }) }
}

/** The services of one visit. After the universe has ended or was reset, these services store nothing. */
export function servicesOfVisit(
  { admit }: Visit,
  storage: DurableObjectStorage,
  record: UniverseRecord,
  control: UniverseControl,
  common: Services,
): Pick<Services, 'database' | 'bucket' | 'era' | 'universe'> {
  return {
    database: openEmbeddedDatabase(storage, admit, (error) => explainLimit(error, storage.sql)),
    bucket: openUniverseBucket(common.bucket, imagePrefixOf(record), admit),
    era: eraOf(record),
    universe: control,
  }
}

/** The problem for a write that exceeds a limit of the universe. Any other error is returned unchanged. */
function explainLimit(error: unknown, sql: SqlStorage): unknown {
  const reached = reachedUniverseLimit(error, () => readFigures(sql))
  if (!reached) return error
  const { detail, ...universeLimit } = reached
  return new ProblemError('universe-limit', detail, { universeLimit })
}

function eraOf({ resets, resetAt }: UniverseRecord): Era | undefined {
  return resetAt === null ? undefined : { tag: resets.toString(36), startedAt: new Date(resetAt) }
}

/** The base URL by which a request came to a universe; undefined if its host cannot be part of a URL. */
export function baseUrlOfVisit(url: URL, { id, basePath }: UniverseAddress, config: Config): string | undefined {
  // A universe without a path has a host of its own, so `universeHost` is set.
  if (basePath === '') return universeHostUrl(id, config.universeHost ?? '', url.origin)
  const origin = config.publicUrl ?? originOf(url)
  return origin && origin + basePath
}

/**
 * Most limits of accounts are off, because the universe has limits of its own. New inboxes are limited for the whole
 * universe, because the tests of a suite have one address. Data of visitors is not removed by its age, because the
 * whole universe ends. The host of images serves only the images of the common world.
 */
export function configInUniverse(config: Config): Config {
  const unlimited = Number.MAX_SAFE_INTEGER
  const accountLimits = {
    ...config.accountLimits,
    bodies: unlimited,
    images: unlimited,
    imageBytes: unlimited,
    deliveries: unlimited,
  }
  const inboxLimit = { perHour: INBOXES_PER_HOUR, countsPer: 'world' } as const
  return { ...config, accountLimits, inboxLimit, visitorRetentionHours: undefined, imageHost: undefined }
}

/** A queue whose messages name the universe that they are for. */
function queueFor(queue: Queue<QueueMessage>, universe: string): Queue<QueueMessage> {
  const universeQueue: Pick<Queue<QueueMessage>, 'sendBatch'> = {
    sendBatch: (messages) =>
      queue.sendBatch([...messages].map((message) => ({ ...message, body: { ...message.body, universe } }))),
  }
  // The cast is safe, because the service calls nothing else of a queue.
  return universeQueue as Queue<QueueMessage>
}
