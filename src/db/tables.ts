import { relations, sql } from 'drizzle-orm'
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { PlanetProperties } from '../schemas/planet.ts'
import type { SatelliteInput } from '../schemas/satellite.ts'

// Every table of the database. After a change: `npm run generate`, which writes the migration.
// Identifiers are AUTOINCREMENT: one that was deleted is never given to something else.

export const users = sqliteTable('users', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  /** As given at sign-up; null for an account that cannot sign in. */
  email: text('email'),
  /** The e-mail as accounts are compared by: see `normaliseEmail`. */
  emailKey: text('email_key').unique(),
  name: text('name'),
  /** Self-describing, see auth/passwords.ts; null for an account that cannot sign in. */
  passwordHash: text('password_hash'),
  /** Raised with each new password; tokens carry it, so that older ones end. */
  passwordGeneration: integer('password_generation').notNull().default(0),
  suspendedAt: integer('suspended_at', { mode: 'timestamp_ms' }),
  createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
})

export const planets = sqliteTable('planets', {
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
})

export const satellites = sqliteTable(
  'satellites',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    planetId: integer('planet_id')
      .notNull()
      .references(() => planets.id, { onDelete: 'cascade' }),
    /** Place in the planet's list, from 0. */
    position: integer('position').notNull(),
    properties: text('properties', { mode: 'json' }).$type<SatelliteInput>().notNull(),
  },
  (table) => [index('satellites_planet').on(table.planetId, table.position)],
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
 * How many planets have an id in [bucket * span, (bucket + 1) * span), for the spans in db/planet-ranks.ts.
 * Kept by triggers of the migrations; gives the total and the start of any page without a scan.
 */
export const planetCounts = sqliteTable(
  'planet_counts',
  {
    span: integer('span').notNull(),
    bucket: integer('bucket').notNull(),
    planets: integer('planets').notNull(),
  },
  (table) => [primaryKey({ columns: [table.span, table.bucket] })],
)

export const planetRelations = relations(planets, ({ one, many }) => ({
  creator: one(users, { fields: [planets.creatorId], references: [users.id] }),
  satellites: many(satellites),
}))

export const satelliteRelations = relations(satellites, ({ one }) => ({
  planet: one(planets, { fields: [satellites.planetId], references: [planets.id] }),
}))
