import { sql } from 'drizzle-orm'
import {
  type AnySQLiteColumn,
  blob,
  check,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'
import type { LabStep, Version } from '../../laboratory/case.ts'
import type { Authority } from '../domain/authority.ts'
import type { CheckResult, Defect, TestVerdict } from '../domain/receiver-tests.ts'
import type { Scope } from '../domain/scopes.ts'
import type { Seed } from '../domain/universe.ts'
import type { Kind } from '../events/happening.ts'
import type { NonPlanetExtras, NonPlanetType, PlanetExtras } from '../schemas/celestial-body.ts'
import type { ClientMetadata } from '../schemas/client.ts'
import type { DeliveryStatus } from '../schemas/delivery.ts'
import type { EventName, SubscribableName } from '../schemas/events.ts'
import type { RecordedRequest } from '../schemas/inbox.ts'
import type { MeasuredImage, Observation } from '../schemas/observation.ts'
import type { PlanetProperties } from '../schemas/planet.ts'
import type { SatelliteInput } from '../schemas/satellite.ts'
import type { WebhookStatus } from '../schemas/webhook.ts'

// Every table of the database. After a change, run `npm run generate`: it writes the migration. Ids are AUTOINCREMENT,
// so that the id of a deleted row is never used again.

export const users = sqliteTable(
  'users',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** As given at sign-up; null for an account that cannot sign in. */
    email: text('email'),
    /** The e-mail address in the form by which accounts are compared, see `normaliseEmail`. */
    emailKey: text('email_key').unique(),
    name: text('name'),
    /** The hash with its parameters, see auth/passwords.ts; null for an account that cannot sign in. */
    passwordHash: text('password_hash'),
    /** Increased with each new password. Rows that refer to an older generation have ended. */
    passwordGeneration: integer('password_generation').notNull().default(0),
    suspendedAt: integer('suspended_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** The provider in OIDC_ISSUERS, and the id that it gives the user. Null for local accounts. */
    issuer: text('issuer'),
    subject: text('subject'),
    /**
     * When the name last changed, rounded up to the next second; null if it never changed. Two changes never have the
     * same time: the second change is stored as later than the first. The validators of planets (`ETag` and
     * `Last-Modified`) depend on this time, because planets contain the name of their creator.
     */
    renamedAt: integer('renamed_at', { mode: 'timestamp_ms' }),
    /** When the account was deleted; null while it exists. The row is deleted after everything that belongs to it. */
    deletedAt: integer('deleted_at', { mode: 'timestamp_ms' }),
    // What the account stores, see stores/README.md. Triggers (migrations/) keep these numbers exact.
    /** Planets, and celestial bodies that are not satellites of another body. */
    bodiesUsed: integer('bodies_used').notNull().default(0),
    /** Size of these bodies in bytes, including their satellites. */
    bodyBytesUsed: integer('body_bytes_used').notNull().default(0),
    /** Number of uploaded images that the account's planets use, and their size in bytes. */
    imagesUsed: integer('images_used').notNull().default(0),
    imageBytesUsed: integer('image_bytes_used').notNull().default(0),
    /** Number of entries in the account's delivery log. */
    deliveriesUsed: integer('deliveries_used').notNull().default(0),
  },
  (table) => [
    uniqueIndex('users_foreign').on(table.issuer, table.subject).where(sql`${table.issuer} is not null`),
    // This index is small, because few users are suspended. A check that a user is not suspended reads no row of it.
    index('users_suspended').on(table.id).where(sql`${table.suspendedAt} is not null`),
    index('users_deleted').on(table.id).where(sql`${table.deletedAt} is not null`),
  ],
)

/** Columns with the size of a document in the database, including its satellites. */
const sizeColumns = () => ({
  /** Size of its satellites in bytes. The queries that write satellites update it. */
  satelliteBytes: integer('satellite_bytes').notNull().default(0),
  /** Total size in bytes. It limits pages (stores/cut-page.ts) and counts towards the account's limits (changes/usage.ts). */
  bytes: integer('bytes')
    .notNull()
    .generatedAlwaysAs(sql`(octet_length("properties") + coalesce(octet_length("extras"), 0) + "satellite_bytes")`, {
      mode: 'virtual',
    }),
})

/** Columns of a row that ends when its user gets a new password. */
const ownerColumns = () => ({
  userId: integer('user_id')
    .notNull()
    .references(() => users.id),
  /** The user's password generation when this row was created. If the user's generation differs, the row has ended. */
  passwordGeneration: integer('password_generation').notNull(),
})

/**
 * Columns with the credential that created this row, if that credential can end on its own: an API key, or the grant of
 * an access token. When it ends, the database deletes this row (migrations/ has the trigger for a revoked grant).
 */
const creatingCredentialColumns = () => ({
  madeByKey: integer('made_by_key').references((): AnySQLiteColumn => apiKeys.id, { onDelete: 'cascade' }),
  madeByGrant: text('made_by_grant').references((): AnySQLiteColumn => grants.id, { onDelete: 'cascade' }),
  ...depthColumn(),
})

/**
 * How many keys and clients precede this one in the chain of credentials that created it. When a credential ends,
 * triggers and foreign keys delete the rest of its chain. The length of the chain is limited
 * (stores/account-states.ts), because D1 rejects a statement that causes more than about ten such steps in a row.
 */
const depthColumn = () => ({ depth: integer('depth').notNull().default(0) })

export const apiKeys = sqliteTable(
  'api_keys',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    ...ownerColumns(),
    ...creatingCredentialColumns(),
    /** SHA-256 of the key, in hex. The key itself is not stored. */
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
    /** The user who registered the client; with client credentials, it acts as this user. Null if nobody owns it. */
    ownerId: integer('owner_id').references(() => users.id),
    /** The owner's password generation at registration. After a new password the client cannot act as its owner. */
    passwordGeneration: integer('password_generation'),
    ...creatingCredentialColumns(),
    /** When the client expires, which is when the credential that registered it expires; null if it does not expire. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }),
    /** SHA-256 of the secret, in hex; null for a client that has none. */
    secretHash: text('secret_hash'),
    metadata: text('metadata', { mode: 'json' }).$type<ClientMetadata>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** The latest of: its registration, a new grant, and (to the day) the redemption of a code or refresh token. */
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }).notNull(),
    /** The /24 or /48 network that registered a client without owner. Null for other clients. */
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
 * Scopes that a user has already granted to a client, so that the user is not asked again. A trigger deletes the row if
 * the redirect URIs or the name of the client change, or if the user gets a new password.
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
    /** The user's password generation at this consent. If the user's generation differs, the consent has ended. */
    passwordGeneration: integer('password_generation').notNull(),
    scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
    /** When the user first gave the client a consent under this password. */
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.clientId] }), index('consents_client').on(table.clientId)],
)

/** Grants: what a user has allowed a client. Every code and token belongs to a grant and ends with it. */
export const grants = sqliteTable(
  'grants',
  {
    id: text('id').primaryKey(),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    ...ownerColumns(),
    scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
    /** When the user signed in; null if the grant was given without the user. */
    authenticatedAt: integer('authenticated_at', { mode: 'timestamp_ms' }),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** When the last code or token of the grant expires. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    /** When it was revoked; null while it is valid. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
    /** The depth of its client. */
    ...depthColumn(),
  },
  (table) => [
    index('grants_expiry').on(table.expiresAt),
    index('grants_client').on(table.clientId),
    index('grants_user').on(table.userId, table.createdAt),
  ],
)

const singleUseColumns = () => ({
  /** SHA-256 of the secret, in hex. */
  hash: text('hash').primaryKey(),
  grantId: text('grant_id')
    .notNull()
    .references(() => grants.id, { onDelete: 'cascade' }),
  expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  /** When it was used. A second use may be theft, so it ends the grant. */
  usedAt: integer('used_at', { mode: 'timestamp_ms' }),
})

/** Authorization codes (RFC 6749, section 4.1.2). */
export const codes = sqliteTable(
  'codes',
  {
    ...singleUseColumns(),
    /** As in the authorization request; null if the request had none. */
    redirectUri: text('redirect_uri'),
    /** The code challenge (RFC 7636, section 4.2) of the method S256. Empty if the request had no challenge. */
    challenge: text('challenge').notNull(),
    nonce: text('nonce'),
  },
  (table) => [index('codes_grant').on(table.grantId)],
)

/** Refresh tokens (RFC 6749, section 6). Each can be used once. */
export const refreshTokens = sqliteTable('refresh_tokens', singleUseColumns(), (table) => [
  index('refresh_tokens_grant').on(table.grantId),
  index('refresh_tokens_expiry').on(table.expiresAt),
])

/**
 * Codes of devices (RFC 8628). One that its user has allowed belongs to a grant, and can be used once. One that has a
 * user code waits for the decision of a user. One that has neither was denied.
 */
export const deviceCodes = sqliteTable(
  'device_codes',
  {
    ...singleUseColumns(),
    grantId: text('grant_id').references(() => grants.id, { onDelete: 'cascade' }),
    clientId: text('client_id')
      .notNull()
      .references(() => clients.id, { onDelete: 'cascade' }),
    scopes: text('scopes', { mode: 'json' }).$type<Scope[]>().notNull(),
    /** What the user types, without the hyphen. */
    userCode: text('user_code').unique(),
    /** The /24 or /48 network that requested it, while it waits. */
    network: text('network'),
    /** How many seconds the client must wait between two polls. */
    interval: integer('interval').notNull(),
    /** When the client last polled while the user had not decided. */
    polledAt: integer('polled_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    index('device_codes_grant').on(table.grantId).where(sql`${table.grantId} is not null`),
    index('device_codes_client').on(table.clientId),
    index('device_codes_network').on(table.network, table.expiresAt).where(sql`${table.network} is not null`),
    index('device_codes_expiry').on(table.expiresAt).where(sql`${table.grantId} is null`),
  ],
)

/**
 * Sessions of browsers that have signed in on the HTML page of this service. The table is WITHOUT ROWID (migrations/),
 * which Drizzle cannot declare. Such a table needs no separate index for its primary key, so a sign-in writes one row
 * less.
 */
export const signIns = sqliteTable(
  'sign_ins',
  {
    /** SHA-256 of the cookie, in hex. */
    hash: text('hash').primaryKey(),
    ...ownerColumns(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('sign_ins_expiry').on(table.expiresAt), index('sign_ins_user').on(table.userId)],
)

/** Ids of the JWTs with which clients have authenticated. Each can be used once (RFC 7523, section 3). */
export const usedAssertions = sqliteTable(
  'used_assertions',
  {
    /** SHA-256 of the client id and the JWT id, in hex. */
    hash: text('hash').primaryKey(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('used_assertions_expiry').on(table.expiresAt)],
)

/** The index with everything by which planets are filtered and sorted. */
export const PLANETS_SEARCH = 'planets_search'

export const planets = sqliteTable(
  'planets',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    creatorId: integer('creator_id')
      .notNull()
      .references(() => users.id),
    /** Increased by one with every write. Entity tags are derived from it. */
    version: integer('version').notNull().default(1),
    lastUpdated: integer('last_updated', { mode: 'timestamp_ms' }).notNull(),
    /** The properties that the client sent, unchanged: absent, null and empty stay different. */
    properties: text('properties', { mode: 'json' }).$type<PlanetProperties>().notNull(),
    /** Whether the client sent a list of satellites: an empty list is different from an absent list. */
    listsSatellites: integer('lists_satellites', { mode: 'boolean' }).notNull(),
    /** Key of the uploaded image. If present, it takes precedence over `properties.image`. */
    imageKey: text('image_key'),
    /** Properties that the planet has as a celestial body only, not at /planets. */
    extras: text('extras', { mode: 'json' }).$type<PlanetExtras>(),
    ...sizeColumns(),
  },
  (table) => [
    index('planets_type').on(sql`${table.properties} ->> '$.type'`, table.id),
    // Everything by which planets are filtered and sorted, so that a pass over all of them reads no documents
    // (stores/planet-search.ts). The id comes first, so that a pass in its order can end early.
    index(PLANETS_SEARCH).on(
      table.id,
      sql`${table.properties} ->> '$.name'`,
      sql`${table.properties} ->> '$.type'`,
      sql`${table.properties} ->> '$.habitabilityIndex'`,
    ),
    index('planets_creator').on(table.creatorId),
  ],
)

/** Celestial bodies other than planets: stars and satellites, also free ones. Their ids are above PLANET_ID_MAX. */
export const celestialBodies = sqliteTable(
  'bodies',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** The planet that this is a satellite of; null for free satellites, for satellites of a host, and for stars. */
    planetId: integer('planet_id').references(() => planets.id, { onDelete: 'cascade' }),
    /** The star or satellite that this is a satellite of; null for most bodies. */
    hostId: integer('host_id').references((): AnySQLiteColumn => celestialBodies.id, { onDelete: 'cascade' }),
    /** Position in the list of the planet or host, from 0. */
    position: integer('position').notNull(),
    creatorId: integer('creator_id')
      .notNull()
      .references(() => users.id),
    lastUpdated: integer('last_updated', { mode: 'timestamp_ms' }).notNull(),
    /** Null for a satellite without a type. */
    type: text('type').$type<NonPlanetType>(),
    /** The properties of a satellite. Those of a star are the same, without the type. */
    properties: text('properties', { mode: 'json' }).$type<SatelliteInput>().notNull(),
    /** Other properties that were sent. A PUT of the planet cannot contain them, so it does not change them. */
    extras: text('extras', { mode: 'json' }).$type<NonPlanetExtras>(),
    /** Whether the client sent a list of satellites, as in `planets`. */
    listsSatellites: integer('lists_satellites', { mode: 'boolean' }).notNull(),
    ...sizeColumns(),
  },
  (table) => [
    index('bodies_planet').on(table.planetId, table.position).where(sql`${table.planetId} is not null`),
    index('bodies_host').on(table.hostId, table.position).where(sql`${table.hostId} is not null`),
    index('bodies_type').on(table.type, table.id),
    // Bodies that are not deleted with a planet or a host.
    index('bodies_free').on(table.creatorId).where(sql`${table.planetId} is null and ${table.hostId} is null`),
  ],
)

/** One row for each object in the bucket. A row without a planet will be removed together with its object. */
export const images = sqliteTable(
  'images',
  {
    key: text('key').primaryKey(),
    mimeType: text('mime_type').notNull(),
    /** In bytes. */
    fileSize: integer('file_size').notNull(),
    uploadedAt: integer('uploaded_at', { mode: 'timestamp_ms' }).notNull(),
    /** Since when no planet uses it; null while a planet does. */
    orphanedAt: integer('orphaned_at', { mode: 'timestamp_ms' }),
    /** The URL in the response to its upload. */
    url: text('url').notNull(),
  },
  (table) => [index('images_orphaned').on(table.orphanedAt).where(sql`${table.orphanedAt} is not null`)],
)

/** How far the sweep has come in its search for old items (stores/visitor-retention.ts). */
export const retentionPositions = sqliteTable('retention_positions', {
  kind: text('kind').primaryKey(),
  /** The last item that was looked at: the id of its owner, and its own id. */
  ownerId: integer('owner_id').notNull(),
  id: integer('id').notNull(),
})

/** The secrets that sign the callbacks of a user's planets. They are encrypted, see lib/vault.ts. */
export const signingSecrets = sqliteTable('signing_secrets', {
  userId: integer('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  secret: text('secret').notNull(),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
  /** The previous secret, and the time until which it still signs too; null if there was none. */
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
    events: text('events', { mode: 'json' }).$type<SubscribableName[]>().notNull(),
    status: text('status').$type<WebhookStatus>().notNull(),
    /** The base URL of the service in the request that registered the URL. */
    origin: text('origin').notNull(),
    /** The secret, or the private key (`publicKey`), that signs its deliveries, encrypted. */
    secret: text('secret').notNull(),
    /** The other half of its private key: `whpk_` and base64. Null if it signs with a secret. */
    publicKey: text('public_key'),
    /** How calls authenticate: the scheme, and the encrypted credentials. Null if the receiver needs none. */
    authScheme: text('auth_scheme'),
    auth: text('auth'),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** The start of its current active period. Earlier events are not sent to it. */
    activeSince: integer('active_since', { mode: 'timestamp_ms' }).notNull(),
    /** Attempts that failed since the last success, and when the first of them failed; 0 and null after a success. */
    failures: integer('failures').notNull().default(0),
    failingSince: integer('failing_since', { mode: 'timestamp_ms' }),
    /** The normalised URL (see `canonicalUrl`). */
    canonicalUrl: text('canonical_url').notNull(),
    /** The calls count towards the limit of this host. Empty if the calls do not leave the service. */
    host: text('host').notNull(),
  },
  (table) => [
    index('webhooks_user').on(table.userId, table.id),
    index('webhooks_active').on(table.id).where(sql`${table.status} = 'active'`),
  ],
)

/** The log: one row for each request that changed something, with everything that it caused (events/README.md). */
export const log = sqliteTable(
  'log',
  {
    /** The position in the log. */
    place: integer('place').primaryKey(),
    kind: text('kind').$type<Kind>().notNull(),
    /** The only user who may see its events; null if everybody who may read planets may see them. */
    userId: integer('user_id'),
    planetId: integer('planet_id'),
    /** How many events are derived from the row. */
    eventCount: integer('event_count').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** The random part of the ids of its events, see domain/event-id.ts. Empty without events. */
    salt: text('salt').notNull(),
    /** The size of all rows that were ever written, up to this one, in bytes. */
    bytesUntil: integer('bytes_until').notNull(),
    // With these two running totals, a list is counted and its pages are found without reading it.
    /** The number of events for everybody in all rows that were ever written, up to this one. */
    publicUntil: integer('public_until').notNull(),
    /** The number of events of this row's user in all rows that were ever written, up to this one; 0 without a user. */
    privateUntil: integer('private_until').notNull(),
    // The long columns are last, so that SQLite does not read them if a query needs only the others.
    body: text('body').notNull(),
    details: text('details').notNull(),
  },
  // Rows for everybody are not in the first index, so that the log of a new planet costs one write less.
  (table) => [
    index('log_of_user').on(table.userId, table.place).where(sql`${table.userId} is not null`),
    index('log_salt').on(table.salt),
  ],
)

/** The events that callbacks report, with the exact body that receivers get. */
export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    type: text('type').$type<EventName>().notNull(),
    /** Not a foreign key: the event outlives its planet. Null without a planet, or if the planet was rejected. */
    planetId: integer('planet_id'),
    body: text('body').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Deliveries for subscriptions up to this id have been created. Null if none is left to create. */
    expandedTo: integer('expanded_to'),
    /** The id of the event in the log. Null if the log has none: for a ping, or a planet that was rejected. */
    liveId: text('live_id'),
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
    /** Copies of the event's type (`events.type`) and planet, for searches in the delivery log. */
    event: text('event').$type<EventName>().notNull(),
    planetId: integer('planet_id'),
    /** `webhook-id`: the same on every attempt. */
    messageId: text('message_id').notNull().unique(),
    /** The owner of the planet or subscription, who sees it in the delivery log. */
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Null for the callback of a planet. Not a foreign key: the delivery outlives the subscription. */
    webhookId: integer('webhook_id'),
    url: text('url').notNull(),
    /** The base URL of the service in the request that registered the URL. */
    origin: text('origin').notNull(),
    status: text('status').$type<DeliveryStatus>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Null if there is no next attempt, or while the delivery waits for a host (`waitingFor`). */
    nextAttemptAt: integer('next_attempt_at', { mode: 'timestamp_ms' }),
    /** Until when the current attempt has exclusive access to the delivery; null if no attempt is in progress. */
    leasedUntil: integer('leased_until', { mode: 'timestamp_ms' }),
    /** Number of retries so far, which is the position in the retry schedule. */
    retries: integer('retries').notNull().default(0),
    /** When it was delivered, failed or cancelled. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
    /** The calls count towards the limit of this host. Empty if the calls do not leave the service. */
    host: text('host').notNull(),
    /** The delivery waits because of the limit of this host; null if it does not wait. */
    waitingFor: text('waiting_for'),
    /** When the delivery became due: its position in the line at that host. Kept until an attempt is recorded. */
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
  ],
)

/** Checks of a receiver: all its tests, one after another. */
export const webhookChecks = sqliteTable(
  'webhook_checks',
  {
    /** A UUID. */
    id: text('id').primaryKey(),
    webhookId: integer('webhook_id')
      .notNull()
      .references(() => webhooks.id, { onDelete: 'cascade' }),
    event: text('event').$type<EventName>().notNull(),
    /** One for each defect, in the order of the registry. They outlive the deliveries. */
    results: text('results', { mode: 'json' }).$type<CheckResult[]>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Null while it runs. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    index('webhook_checks_webhook').on(table.webhookId, table.createdAt),
    index('webhook_checks_running').on(table.createdAt).where(sql`${table.endedAt} is null`),
    index('webhook_checks_age').on(table.createdAt),
  ],
)

/** What makes a delivery a test of its receiver. */
export const webhookTests = sqliteTable(
  'webhook_tests',
  {
    deliveryId: integer('delivery_id')
      .primaryKey()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    defect: text('defect').$type<Defect>().notNull(),
    /** Null until the last call was answered. */
    verdict: text('verdict').$type<TestVerdict>(),
    /** Why the verdict is `wrong`. */
    reason: text('reason'),
    /** When the first of two calls was signed. Null until it was accepted. */
    firstCallAt: integer('first_call_at', { mode: 'timestamp_ms' }),
    /** Null for a test of its own, or if its check is gone. */
    checkId: text('check_id').references(() => webhookChecks.id, { onDelete: 'set null' }),
  },
  (table) => [
    index('webhook_tests_check').on(table.checkId, table.deliveryId).where(sql`${table.checkId} is not null`),
  ],
)

/** The state of the call limits of a host, while it is called or has recently returned a 2xx. */
export const callTargets = sqliteTable(
  'call_targets',
  {
    host: text('host').primaryKey(),
    /** Start of the minute in which calls are counted: the time of the first call. */
    windowStart: integer('window_start', { mode: 'timestamp_ms' }).notNull(),
    calls: integer('calls').notNull(),
    /** JSON object: each call in progress, with the end of its lease in milliseconds since 1970. */
    leases: text('leases').notNull(),
    /** When the host last returned a 2xx. */
    acceptedAt: integer('accepted_at', { mode: 'timestamp_ms' }),
    /**
     * End of the day on which the last 2xx becomes too old to raise the limits of the host; 0 if there was none.
     * Rounded to days, so that its index changes only once a day.
     */
    keptUntil: integer('kept_until', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('call_targets_kept').on(table.keptUntil)],
)

/** Attempts to deliver, with their results. */
export const attempts = sqliteTable(
  'attempts',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    deliveryId: integer('delivery_id')
      .notNull()
      .references(() => deliveries.id, { onDelete: 'cascade' }),
    startedAt: integer('started_at', { mode: 'timestamp_ms' }).notNull(),
    durationMs: integer('duration_ms').notNull(),
    /** Status of the receiver's response; null if there was none. */
    status: integer('status'),
    /** A text that says why the attempt failed; null if it succeeded. */
    error: text('error'),
    /** The beginning of the response body; null if there was no response. */
    response: text('response'),
  },
  (table) => [index('attempts_delivery').on(table.deliveryId, table.id)],
)

/** URLs whose receivers want no more callbacks of a planet. */
export const refusedCallbacks = sqliteTable(
  'refused_callbacks',
  {
    /** Not a foreign key: the row outlives the planet. */
    planetId: integer('planet_id').notNull(),
    url: text('url').notNull(),
    /** When the planet was deleted; null while it exists. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    primaryKey({ columns: [table.planetId, table.url] }),
    index('refused_callbacks_ended').on(table.endedAt).where(sql`${table.endedAt} is not null`),
  ],
)

/** Messages that the queue gave up on. Each is a defect of the service, and is kept for the operator. */
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

/** Inboxes: URLs of this service that record the requests they receive. */
export const inboxes = sqliteTable(
  'inboxes',
  {
    id: text('id').primaryKey(),
    /** Status and body of its response to every request. */
    status: integer('status').notNull(),
    body: text('body').notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    /** The /24 or /48 network that created it. */
    network: text('network').notNull(),
    /** When it last received a request or was read or changed, to the minute. */
    lastUsedAt: integer('last_used_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [
    index('inboxes_expiry').on(table.expiresAt),
    index('inboxes_network').on(table.network, table.lastUsedAt),
  ],
)

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

/** Runs of the laboratory: each records what a client sends to the cases. */
export const labRuns = sqliteTable(
  'lab_runs',
  {
    id: text('id').primaryKey(),
    tool: text('tool').notNull(),
    version: text('version').notNull(),
    /** The version of OpenAPI whose cases count. */
    openapi: text('openapi').$type<Version>().notNull().default('3.1'),
    /** Why cases should fail, by their ids. */
    expect: text('expect', { mode: 'json' }).$type<Record<string, string>>().notNull(),
    /** Why cases do not count, by their ids, or by `group/*`. */
    skip: text('skip', { mode: 'json' }).$type<Record<string, string>>().notNull(),
    /** Whether the run records nothing more. */
    closed: integer('closed', { mode: 'boolean' }).notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Moves with every request that is recorded. */
    expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(),
    /** The /24 or /48 network that created it. */
    network: text('network').notNull(),
  },
  (table) => [
    index('lab_runs_expiry').on(table.expiresAt),
    index('lab_runs_network').on(table.network, table.expiresAt),
  ],
)

/** What a run has recorded about each case that was called. */
export const labResults = sqliteTable(
  'lab_results',
  {
    runId: text('run_id')
      .notNull()
      .references(() => labRuns.id, { onDelete: 'cascade' }),
    caseId: text('case_id').notNull(),
    /** How many requests the case has received. */
    requests: integer('requests').notNull(),
    /** When the last of them arrived. */
    lastAt: integer('last_at', { mode: 'timestamp_ms' }).notNull(),
    /** The id of the last of them. */
    requestId: text('request_id').notNull(),
    /** The requests that decide the verdict, in their order: all but a few of them are forgotten. */
    steps: text('steps', { mode: 'json' }).$type<LabStep[]>().notNull(),
    /** The bytes of the part of the last request that was judged; null if there are none. */
    received: blob('received'),
  },
  (table) => [primaryKey({ columns: [table.runId, table.caseId] })],
)

/** Batches of observations of planets. The images themselves are not stored. */
export const observationBatches = sqliteTable(
  'observation_batches',
  {
    /** A UUID. */
    id: text('id').primaryKey(),
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    planetId: integer('planet_id')
      .notNull()
      .references(() => planets.id, { onDelete: 'cascade' }),
    observer: text('observer').notNull(),
    /** As it was sent; null if it was not. */
    observedAt: text('observed_at'),
    /** The number of images. */
    accepted: integer('accepted').notNull(),
    /** What was measured while the images arrived: all that the work needs. Null when it is completed. */
    images: text('images', { mode: 'json' }).$type<MeasuredImage[]>(),
    /** The result; null until the work is completed. */
    observations: text('observations', { mode: 'json' }).$type<Observation[]>(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** Until when a worker has the batch; null if none has begun. */
    leasedUntil: integer('leased_until', { mode: 'timestamp_ms' }),
    completedAt: integer('completed_at', { mode: 'timestamp_ms' }),
  },
  (table) => [
    index('observation_batches_user').on(table.userId, table.planetId, table.createdAt),
    index('observation_batches_planet').on(table.planetId),
    index('observation_batches_unfinished').on(table.createdAt).where(sql`${table.completedAt} is null`),
    index('observation_batches_completed').on(table.completedAt).where(sql`${table.completedAt} is not null`),
  ],
)

/**
 * Attempts in a window of time that begins with the first attempt. The table also contains other records that end at a
 * time, as rows without attempts (`rememberKey`).
 */
export const rateLimits = sqliteTable(
  'rate_limits',
  {
    /** The limit and the client that the limit applies to, such as `password/address/192.0.2.1`. */
    key: text('key').primaryKey(),
    attempts: integer('attempts').notNull(),
    resetsAt: integer('resets_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('rate_limits_reset').on(table.resetsAt)],
)

/**
 * Bits that say which ids in [bucket * 64, (bucket + 1) * 64) exist: bit n is set if the id bucket * 64 + n exists. The
 * column is 0 in buckets of wider spans.
 */
const presentColumn = () => ({ present: integer('present').notNull().default(0) })

/**
 * How many planets have an id in [bucket * span, (bucket + 1) * span), for the spans in stores/ranks.ts. Triggers
 * (migrations/) update the counts. With them, the total and the start of any page are found without a scan.
 */
export const planetCounts = sqliteTable(
  'planet_counts',
  {
    span: integer('span').notNull(),
    bucket: integer('bucket').notNull(),
    planets: integer('planets').notNull(),
    ...presentColumn(),
  },
  (table) => [primaryKey({ columns: [table.span, table.bucket] })],
)

/** The same counts for the other celestial bodies, with PLANET_ID_MAX subtracted from their ids. */
export const celestialBodyCounts = sqliteTable(
  'body_counts',
  {
    span: integer('span').notNull(),
    bucket: integer('bucket').notNull(),
    bodies: integer('bodies').notNull(),
    ...presentColumn(),
  },
  (table) => [primaryKey({ columns: [table.span, table.bucket] })],
)

/** Number of rows of anonymous callers. Triggers (migrations/) update it, so that no query counts the rows. */
export const anonymousCounts = sqliteTable('stranger_counts', {
  /** `clients`: clients without an owner, except those of the service itself. */
  kind: text('kind').primaryKey(),
  count: integer('count').notNull(),
})

/**
 * The universes that exist, and those that have ended recently. Only the common world has rows in this table. The row
 * of a universe is written before the universe is made, and deleted after everything in the universe is removed, so
 * that nothing can be left behind.
 */
export const universes = sqliteTable(
  'universes',
  {
    id: text('id').primaryKey(),
    seed: text('seed').$type<Seed>().notNull(),
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** When the universe was complete; null if it is being made, or if its creation failed. */
    madeAt: integer('made_at', { mode: 'timestamp_ms' }),
    /** When the universe ended; null if it has not ended. From then on, its address responds with 410. */
    endedAt: integer('ended_at', { mode: 'timestamp_ms' }),
    /** When the sweep next handles this row: it ends the universe, removes its contents, or deletes the row. */
    dueAt: integer('due_at', { mode: 'timestamp_ms' }).notNull(),
  },
  (table) => [index('universes_due').on(table.dueAt)],
)

/** The replies to requests with an `Idempotency-Key`, for retries of these requests (changes/kept-replies.ts). */
export const keptReplies = sqliteTable(
  'kept_replies',
  {
    userId: integer('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    /** SHA-256 of the parts of the request that are the same in a retry, in base64url. */
    fingerprint: text('fingerprint').notNull(),
    /** A token that identifies the request that is under way; null once the request has created something. */
    claim: text('claim'),
    /** When the request began. */
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    /** The reply, encrypted because it can contain secrets; null as long as the request is under way. */
    reply: text('reply'),
    /** Only credentials with at least this authority get the reply. */
    maker: text('maker', { mode: 'json' }).$type<Authority>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.key] }),
    index('kept_replies_age').on(table.createdAt),
    // If a request has lost its claim, `completeClaim` leaves a claim beside its reply, so its whole batch fails.
    check('kept_replies_claimed', sql`${table.claim} is null or ${table.reply} is null`),
  ],
)
