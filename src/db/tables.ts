import { relations, sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { CelestialBodyExtras, OtherType, PlanetExtras } from '../schemas/celestial-body.ts'
import type { ClientMetadata } from '../schemas/client.ts'
import type { DeliveryStatus } from '../schemas/delivery.ts'
import type { EventName, SubscriptionName } from '../schemas/events.ts'
import type { RecordedRequest } from '../schemas/inbox.ts'
import type { PlanetProperties } from '../schemas/planet.ts'
import { SATELLITES_MAX, type SatelliteInput } from '../schemas/satellite.ts'
import type { Scope } from '../schemas/scopes.ts'
import type { WebhookStatus } from '../schemas/webhook.ts'

// Every table of the database. After a change: `npm run generate`, which writes the migration.
// Identifiers are AUTOINCREMENT: one that was deleted is never given to something else.

export const users = sqliteTable(
  'users',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** As given at sign-up; null for an account that cannot sign in. */
    email: text('email'),
    /** The e-mail as accounts are compared by: see `normaliseEmail`. */
    emailKey: text('email_key').unique(),
    name: text('name'),
    /** Self-describing, see auth/passwords.ts; null for an account that cannot sign in. */
    passwordHash: text('password_hash'),
    /** Raised with each new password. Whatever was made under an older one carries that one's figure, and has ended. */
    passwordGeneration: integer('password_generation').notNull().default(0),
    suspendedAt: integer('suspended_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Who vouches for the user: an issuer of OIDC_ISSUERS, and what that calls the user. Null for accounts of our own. */
    issuer: text('issuer'),
    subject: text('subject'),
    /**
     * When the name last changed, rounded up to the next second and later each time; null if it never did. It is part of
     * what tells versions of planets apart.
     */
    renamedAt: integer('renamed_at', { mode: 'timestamp_ms' }),
    /**
     * When the account was deleted; null while it exists. Triggers then take everything from the row that says whose it
     * was and end every credential. The row itself goes last, when nothing of the account is left.
     */
    deletedAt: integer('deleted_at', { mode: 'timestamp_ms' }),
    // What the account stores, see stores/usage.ts. Triggers of the migrations keep these figures exact.
    /** Planets, and celestial bodies that are no satellite of anything. */
    bodiesUsed: integer('bodies_used').notNull().default(0),
    /** Bytes of them, with their satellites. */
    bodyBytesUsed: integer('body_bytes_used').notNull().default(0),
    /** Uploads that its planets show, and their bytes. */
    imagesUsed: integer('images_used').notNull().default(0),
    imageBytesUsed: integer('image_bytes_used').notNull().default(0),
    /** Entries of its log of deliveries. */
    deliveriesUsed: integer('deliveries_used').notNull().default(0),
  },
  (table) => [
    uniqueIndex('users_foreign').on(table.issuer, table.subject).where(sql`${table.issuer} is not null`),
    // Small, because few are: to find out that a user is not suspended reads no row.
    index('users_suspended').on(table.id).where(sql`${table.suspendedAt} is not null`),
    index('users_deleted').on(table.id).where(sql`${table.deletedAt} is not null`),
  ],
)

/** How large a document is in the database, with its satellites. */
const measured = () => ({
  /** Bytes of its satellites, kept by whatever writes them. */
  satelliteBytes: integer('satellite_bytes').notNull().default(0),
  /** Bytes of all of it: pages are cut by them (db/pages.ts), and accounts charged for them (stores/usage.ts). */
  bytes: integer('bytes')
    .notNull()
    .generatedAlwaysAs(sql`(octet_length("properties") + coalesce(octet_length("extras"), 0) + "satellite_bytes")`, {
      mode: 'virtual',
    }),
})

const ownedByUser = () => ({
  userId: integer('user_id')
    .notNull()
    .references(() => users.id),
  /** Of the user, when this was made: it has ended where the user's is another. */
  passwordGeneration: integer('password_generation').notNull(),
})

/**
 * The credential that made this, if it can end by itself: an API key, or a grant of which an access token was used. What
 * a credential made ends with it: the database deletes it (migrations/ has the trigger for a grant that is revoked).
 */
const madeByCredential = () => ({
  madeByKey: integer('made_by_key').references((): AnySQLiteColumn => apiKeys.id, { onDelete: 'cascade' }),
  madeByGrant: text('made_by_grant').references((): AnySQLiteColumn => grants.id, { onDelete: 'cascade' }),
  ...depth(),
})

/**
 * How many keys and clients come before this one in the chain of those that made it. The chain has a bound (stores/account-states.ts),
 * because D1 ends a chain by triggers and foreign keys, and refuses a statement that sets off more than some ten in a row.
 */
const depth = () => ({ depth: integer('depth').notNull().default(0) })

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    ...ownedByUser(),
    ...madeByCredential(),
    /** SHA-256 of the key, in hex. The key itself is nowhere. */
    hash: text('hash').notNull().unique(),
    /** The first characters of the key, by which its owner recognises it. */
    preview: text('preview').notNull(),
    name: text('name'),
    scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Null for a key that does not expire. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
    /** To the minute; null for a key that was never used. */
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    index('api_keys_user').on(table.userId, table.id),
    index('api_keys_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    index('api_keys_made_by_key').on(table.madeByKey).where(sql`${table.madeByKey} is not null`),
    index('api_keys_made_by_grant').on(table.madeByGrant).where(sql`${table.madeByGrant} is not null`),
  ],
)

/** OAuth clients (RFC 7591). */
export const clients = sqliteTable(
  'clients',
  {
    id: text('id').primaryKey(),
    /** Who registered it, and whom it acts as by itself; null for a public client that nobody owns. */
    ownerId: integer('owner_id').references(() => users.id),
    /** Of the owner, when it was registered: it no longer acts as one who has a new password. Null without an owner. */
    passwordGeneration: integer('password_generation'),
    ...madeByCredential(),
    /** When it ends, because the credential that registered it ends then; null for a client that does not expire. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
    /** SHA-256 of the secret, in hex; null for a client that has none. */
    secretHash: text('secret_hash'),
    metadata: text('metadata', { mode: 'json' }).$type<ClientMetadata>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** When it was registered, somebody last allowed it something, or, to the day, it refreshed a token. */
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }).notNull(),
    /** From where a client that nobody owns was registered: a /24 or /48. Null of others, and of those from before it was noted. */
    network: text('network'),
  },
  (table) => [
    index('clients_network').on(table.network).where(sql`${table.network} is not null`),
    index('clients_unused')
      .on(table.createdAt)
      .where(sql`${table.ownerId} is null and ${table.lastUsedAt} = ${table.createdAt}`),
    index('clients_owner').on(table.ownerId, table.createdAt).where(sql`${table.ownerId} is not null`),
    index('clients_idle').on(table.lastUsedAt).where(sql`${table.ownerId} is null`),
    index('clients_expiry').on(table.expiresAt).where(sql`${table.expiresAt} is not null`),
    index('clients_made_by_key').on(table.madeByKey).where(sql`${table.madeByKey} is not null`),
    index('clients_made_by_grant').on(table.madeByGrant).where(sql`${table.madeByGrant} is not null`),
  ],
)

/**
 * What a user has allowed a client before: the user is not asked for it again. A trigger forgets it if the client changes
 * its redirect URIs or its name, and if the user gets a new password.
 */
export const consents = sqliteTable(
  'consents',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    /** Of the user, when this was allowed: it has ended if the user's is another. */
    passwordGeneration: integer('password_generation').notNull(),
    scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
    /** When the user first allowed the client something under this password. */
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.clientId] }), index('consents_client').on(table.clientId)],
)

/** What a user has allowed a client. Every code and token belongs to one, and ends with it. */
export const grants = sqliteTable(
  'grants',
  {
    id: text('id').primaryKey(),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    ...ownedByUser(),
    scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
    /** When the user signed in; null where no user was there. */
    authenticatedAt: integer('authenticated_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** When the last code or token under it has expired. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    /** When it was revoked; null while it holds. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
    /** That of its client. */
    ...depth(),
  },
  (table) => [
    index('grants_expiry').on(table.expiresAt),
    index('grants_client').on(table.clientId),
    index('grants_user').on(table.userId, table.createdAt),
  ],
)

const spentOnce = () => ({
  /** SHA-256 of the secret, in hex. */
  hash: text('hash').primaryKey(),
  grantId: text('grant_id')
    .notNull()
    .references(() => grants.id, { onDelete: 'cascade' }),
  expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  /** A second use is theft, or looks like it: it ends the grant. */
  usedAt: integer('used_at', { mode: 'timestamp_ms' }),
})

/** Authorization codes (RFC 6749, section 4.1.2). */
export const codes = sqliteTable(
  'codes',
  {
    ...spentOnce(),
    /** As the authorization request had it; null where it had none. */
    redirectUri: text('redirect_uri'),
    /** RFC 7636, section 4.2; the method is S256. Empty if the request had none, which no challenge is. */
    challenge: text('challenge').notNull(),
    nonce: text('nonce'),
  },
  (table) => [index('codes_grant').on(table.grantId)],
)

/** Refresh tokens (RFC 6749, section 6), each for one use. */
export const refreshTokens = sqliteTable('refresh_tokens', spentOnce(), (table) => [
  index('refresh_tokens_grant').on(table.grantId),
  index('refresh_tokens_expiry').on(table.expiresAt),
])

/** Browsers that have signed in on our own page. */
export const signIns = sqliteTable(
  'sign_ins',
  {
    /** SHA-256 of the cookie, in hex. */
    hash: text('hash').primaryKey(),
    ...ownedByUser(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('sign_ins_expiry').on(table.expiresAt)],
)

/** Ids of JWTs by which clients have proved who they are, each good for one use (RFC 7523, section 3). */
export const usedAssertions = sqliteTable(
  'used_assertions',
  {
    /** SHA-256 of the client and the id, in hex. */
    hash: text('hash').primaryKey(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('used_assertions_expiry').on(table.expiresAt)],
)

export const planets = sqliteTable(
  'planets',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    creatorId: integer('creator_id')
      .notNull()
      .references(() => users.id),
    /** Raised by one with every write; entity tags come from it. */
    version: integer('version').notNull().default(1),
    lastUpdated: integer('last_updated', { mode: 'timestamp_ms' }).notNull(),
    /** What the client sent, as sent: absent, null and empty stay apart. */
    properties: text('properties', { mode: 'json' }).$type<PlanetProperties>().notNull(),
    /** Whether the client sent a list of satellites: an empty list is not an absent one. */
    listsSatellites: integer('lists_satellites', { mode: 'boolean' }).notNull(),
    /** Key of the planet's own upload, which then is its image, whatever `properties.image` says. */
    imageKey: text('image_key'),
    /** What it has as a celestial body that no planet has. */
    extras: text('extras', { mode: 'json' }).$type<PlanetExtras>(),
    ...measured(),
  },
  (table) => [
    index('planets_type').on(sql`${table.properties} ->> '$.type'`, table.id),
    index('planets_creator').on(table.creatorId),
  ],
)

/** Celestial bodies that are no planets: satellites, of a planet or free, and stars. Their ids begin above all planets'. */
export const celestialBodies = sqliteTable(
  'bodies',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The planet whose satellite it is; null of a free one, and of a star. */
    planetId: integer('planet_id').references(() => planets.id, { onDelete: 'cascade' }),
    /** The star or satellite whose satellite it is; null of most. */
    hostId: integer('host_id').references((): AnySQLiteColumn => celestialBodies.id, { onDelete: 'cascade' }),
    /** Place in the list of the planet or host, from 0. */
    position: integer('position').notNull(),
    creatorId: integer('creator_id')
      .notNull()
      .references(() => users.id),
    lastUpdated: integer('last_updated', { mode: 'timestamp_ms' }).notNull(),
    /** Null of a satellite that does not say. */
    type: text('type').$type<OtherType>(),
    /** What any satellite has; a star too, but for the type. */
    properties: text('properties', { mode: 'json' }).$type<SatelliteInput>().notNull(),
    /** What else was sent. A PUT of the planet, which cannot name it, leaves it alone. */
    extras: text('extras', { mode: 'json' }).$type<CelestialBodyExtras>(),
    listsSatellites: integer('lists_satellites', { mode: 'boolean' }).notNull(),
    ...measured(),
  },
  (table) => [
    index('bodies_planet').on(table.planetId, table.position).where(sql`${table.planetId} is not null`),
    index('bodies_host').on(table.hostId, table.position).where(sql`${table.hostId} is not null`),
    index('bodies_type').on(table.type, table.id),
    // Those that go with no planet and no host.
    index('bodies_free').on(table.creatorId).where(sql`${table.planetId} is null and ${table.hostId} is null`),
    check('bodies_bounded', sql`${table.position} < ${sql.raw(String(SATELLITES_MAX))}`),
  ],
)

/** One row for each object in the bucket. A row without a planet is due for removal, object and all. */
export const images = sqliteTable(
  'images',
  {
    key: text('key').primaryKey(),
    mimeType: text('mime_type').notNull(),
    /** In bytes. */
    fileSize: integer('file_size').notNull(),
    uploadedAt: integer('uploaded_at', { mode: 'timestamp_ms' }).notNull(),
    /** Since when no planet shows it; null while one does. */
    orphanedAt: integer('orphaned_at', { mode: 'timestamp_ms' }),
  },
  (table) => [index('images_orphaned').on(table.orphanedAt).where(sql`${table.orphanedAt} is not null`)],
)

/** What signs the callbacks of a user's planets. Secrets are sealed, see lib/vault.ts. */
export const signingSecrets = sqliteTable('signing_secrets', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  secret: text('secret').notNull(),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  /** The secret before this one, and until when it signs beside it; null where there was none. */
  previous: text('previous'),
  previousEndsAt: integer('previous_ends_at', { mode: 'timestamp_ms' }),
})

/** Subscriptions to events. */
export const webhooks = sqliteTable(
  'webhooks',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    url: text('url').notNull(),
    events: text('events', { mode: 'json' }).$type<SubscriptionName[]>().notNull(),
    status: text('status').$type<WebhookStatus>().notNull(),
    /** Origin of the service as the subscriber saw it. */
    origin: text('origin').notNull(),
    /** What signs its deliveries, sealed. */
    secret: text('secret').notNull(),
    /** What it is called with: the scheme, and the credentials, sealed. Null where it wants none. */
    authScheme: text('auth_scheme'),
    auth: text('auth'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Since when it is active without a break: what happened before is not sent to it. */
    activeSince: integer('active_since', { mode: 'timestamp_ms' }).notNull(),
    /** Attempts that failed since the last that did not, and since when; 0 and null after a success. */
    failures: integer('failures').notNull().default(0),
    failingSince: integer('failing_since', { mode: 'timestamp_ms' }),
    /** The URL in the form in which equal ones are equal. Null in a row of an older version, until the sweep fills it in. */
    canonicalUrl: text('canonical_url'),
    /** The host that its calls count to. Null in a row of an older version, until the sweep fills it in. */
    host: text('host'),
  },
  (table) => [
    index('webhooks_user').on(table.userId, table.id),
    index('webhooks_active').on(table.id).where(sql`${table.status} = 'active'`),
    index('webhooks_without_host').on(table.id).where(sql`${table.host} is null`),
  ],
)

/** What happened, in the exact bytes that receivers are told it in. */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    type: text('type').$type<EventName>().notNull(),
    /** Not a reference: the event outlives its planet. Null where the planet never was, or there is none. */
    planetId: integer('planet_id'),
    body: text('body').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Subscriptions up to this id have their delivery; null where all have it, and of an event that has none. */
    expandedTo: integer('expanded_to'),
  },
  (table) => [
    index('events_to_expand').on(table.id).where(sql`${table.expandedTo} is not null`),
    index('events_age').on(table.createdAt),
  ],
)

/** The outbox: one row for each event and receiver. */
export const deliveries = sqliteTable(
  'deliveries',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    eventId: integer('event_id')
      .notNull()
      .references(() => events.id),
    /** Of the event, by which the log is searched. */
    event: text('event').$type<EventName>().notNull(),
    planetId: integer('planet_id'),
    /** `webhook-id`: the same on every attempt. */
    messageId: text('message_id').notNull().unique(),
    /** Whose planet or subscription it is, and so whose log. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null of a planet's own callback. Not a reference: the log outlives the subscription. */
    webhookId: integer('webhook_id'),
    url: text('url').notNull(),
    /** Origin of the service as the one saw it who gave the URL. */
    origin: text('origin').notNull(),
    status: text('status').$type<DeliveryStatus>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Null where there will be none. */
    nextAttemptAt: integer('next_attempt_at', { mode: 'timestamp_ms' }),
    /** Until when an attempt that is under way has the delivery to itself; null while none is. */
    leasedUntil: integer('leased_until', { mode: 'timestamp_ms' }),
    /** Retries so far: the place in the schedule. */
    retries: integer('retries').notNull().default(0),
    /** When it was delivered, failed or cancelled. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
    /** The host that its calls count to; empty if they do not leave the service. Null in a row of an older version, until the sweep fills it in. */
    host: text('host'),
    /** The host at whose limit it waits. While it waits, its next attempt has no time. */
    waitingFor: text('waiting_for'),
    /** Its place in the line there: since when it has been due. It keeps the place until an attempt is recorded. */
    waitingSince: integer('waiting_since', { mode: 'timestamp_ms' }),
  },
  (table) => [
    index('deliveries_user').on(table.userId, table.id),
    index('deliveries_planet').on(table.planetId, table.userId, table.id).where(sql`${table.planetId} is not null`),
    index('deliveries_due').on(table.nextAttemptAt).where(sql`${table.status} = 'pending'`),
    uniqueIndex('deliveries_expanded').on(table.eventId, table.webhookId),
    index('deliveries_webhook').on(table.webhookId).where(sql`${table.status} = 'pending'`),
    index('deliveries_ended').on(table.endedAt).where(sql`${table.endedAt} is not null`),
    index('deliveries_waiting')
      .on(table.waitingFor, table.waitingSince, table.id)
      .where(sql`${table.waitingFor} is not null and ${table.status} = 'pending'`),
    index('deliveries_without_host').on(table.id).where(sql`${table.host} is null and ${table.status} = 'pending'`),
  ],
)

/** What the limits of calls know of a host, while it is called or has accepted a call lately. */
export const callTargets = sqliteTable(
  'call_targets',
  {
    host: text('host').primaryKey(),
    /** When the minute began in which calls are counted: with the first of them. */
    windowStart: integer('window_start', { mode: 'timestamp_ms' }).notNull(),
    calls: integer('calls').notNull(),
    /** JSON object: the calls that are under way, and until when (milliseconds since 1970) each holds its place. */
    leases: text('leases').notNull(),
    /** When it last answered 2xx. */
    acceptedAt: integer('accepted_at', { mode: 'timestamp_ms' }),
    /** The end of the day on which that stops counting; 0 if it never answered so. An index of it changes once a day. */
    keptUntil: integer('kept_until', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('call_targets_kept').on(table.keptUntil)],
)

/** Attempts to deliver, and what came of them. */
export const attempts = sqliteTable(
  'attempts',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    deliveryId: integer('delivery_id')
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    startedAt: integer('started_at', { mode: 'timestamp_ms' }).notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** Of the receiver's answer; null where none came. */
    status: integer('status'),
    /** Why the attempt failed, in words; null where it did not. */
    error: text('error'),
    /** The beginning of the answer's body; null where none came. */
    response: text('response'),
  },
  (table) => [index('attempts_delivery').on(table.deliveryId, table.id)],
)

/** URLs that want to hear no more of a planet. */
export const refusedCallbacks = sqliteTable(
  'refused_callbacks',
  {
    /** Not a reference: the wish outlives the planet. */
    planetId: integer('planet_id').notNull(),
    url: text('url').notNull(),
    /** When the planet ended; null while it lasts. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    primaryKey({ columns: [table.planetId, table.url] }),
    index('refused_callbacks_ended').on(table.endedAt).where(sql`${table.endedAt} is not null`),
  ],
)

/** Messages that the queue gave up on: each is a fault of ours, kept for its operator. */
export const deadLetters = sqliteTable(
  'dead_letters',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    messageId: text('message_id').notNull().unique(),
    body: text('body').notNull(),
    attempts: integer('attempts').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('dead_letters_age').on(table.createdAt)],
)

/** Places to receive callbacks in, without a server of one's own. */
export const inboxes = sqliteTable(
  'inboxes',
  {
    id: text('id').primaryKey(),
    /** What it answers to whatever comes. */
    status: integer('status').notNull(),
    body: text('body').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    /** From where it was made: a /24 or /48. Null of those from before it was noted. */
    network: text('network'),
    /** When something last came, or somebody read or changed it, to the minute. Null of those from before it was noted. */
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    index('inboxes_expiry').on(table.expiresAt),
    index('inboxes_network').on(table.network, table.lastUsedAt),
  ],
)

/** What came to an inbox. */
export const inboxRequests = sqliteTable(
  'inbox_requests',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    inboxId: text('inbox_id')
      .notNull()
      .references(() => inboxes.id, { onDelete: 'cascade' }),
    receivedAt: integer('received_at', { mode: 'timestamp_ms' }).notNull(),
    request: text('request', { mode: 'json' }).$type<RecordedRequest>().notNull(),
  },
  (table) => [index('inbox_requests_inbox').on(table.inboxId, table.id)],
)

/** Attempts in a window that begins with the first of them. */
export const rateLimits = sqliteTable(
  'rate_limits',
  {
    /** What is limited and for whom, such as `password/address/192.0.2.1`. */
    key: text('key').primaryKey(),
    attempts: integer('attempts').notNull(),
    /** End of the window. */
    resetsAt: integer('resets_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('rate_limits_reset').on(table.resetsAt)],
)

/**
 * Which ids of [bucket * 64, (bucket + 1) * 64) there are: bit n is set for the id bucket * 64 + n. In wider spans it is 0.
 */
const present = () => ({ present: integer('present').notNull().default(0) })

/**
 * How many planets have an id in [bucket * span, (bucket + 1) * span), for the spans in db/ranks.ts.
 * Kept by triggers of the migrations; gives the total and the start of any page without a scan.
 */
export const planetCounts = sqliteTable(
  'planet_counts',
  {
    span: integer('span').notNull(),
    bucket: integer('bucket').notNull(),
    planets: integer('planets').notNull(),
    ...present(),
  },
  (table) => [primaryKey({ columns: [table.span, table.bucket] })],
)

/** The same of the other celestial bodies, whose ids are counted from the first that there can be. */
export const celestialBodyCounts = sqliteTable(
  'body_counts',
  {
    span: integer('span').notNull(),
    bucket: integer('bucket').notNull(),
    bodies: integer('bodies').notNull(),
    ...present(),
  },
  (table) => [primaryKey({ columns: [table.span, table.bucket] })],
)

/** How many rows there are of what strangers can make. Kept by triggers of the migrations, so that nothing has to be counted. */
export const strangerCounts = sqliteTable('stranger_counts', {
  /** `clients`: those that nobody owns, but for our own. */
  kind: text('kind').primaryKey(),
  count: integer('count').notNull(),
})

export const planetRelations = relations(planets, ({ one, many }) => ({
  creator: one(users, { fields: [planets.creatorId], references: [users.id] }),
  satellites: many(celestialBodies),
}))

export const celestialBodyRelations = relations(celestialBodies, ({ one, many }) => ({
  planet: one(planets, { fields: [celestialBodies.planetId], references: [planets.id] }),
  creator: one(users, { fields: [celestialBodies.creatorId], references: [users.id] }),
  host: one(celestialBodies, {
    fields: [celestialBodies.hostId],
    references: [celestialBodies.id],
    relationName: 'host',
  }),
  satellites: many(celestialBodies, { relationName: 'host' }),
}))

export const deliveryRelations = relations(deliveries, ({ one, many }) => ({
  payload: one(events, { fields: [deliveries.eventId], references: [events.id] }),
  owner: one(users, { fields: [deliveries.userId], references: [users.id] }),
  signingSecret: one(signingSecrets, { fields: [deliveries.userId], references: [signingSecrets.userId] }),
  webhook: one(webhooks, { fields: [deliveries.webhookId], references: [webhooks.id] }),
  attempts: many(attempts),
}))

export const attemptRelations = relations(attempts, ({ one }) => ({
  delivery: one(deliveries, { fields: [attempts.deliveryId], references: [deliveries.id] }),
}))
