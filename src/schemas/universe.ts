import * as z from 'zod'
import { doc } from '#doc'
import { EXAMPLE_AHEAD } from '../domain/example-times.ts'
import { EXAMPLE_UNIVERSE_ID, EXAMPLE_UNIVERSE_URL } from '../domain/example-universe.ts'
import {
  IDLE_HOURS_DEFAULT,
  IDLE_HOURS_MAX,
  OWN_PLANETS_MAX,
  OWNER_ID,
  SEEDS,
  TOKEN_SECONDS_MAX,
  TOKEN_SECONDS_MIN,
  UNIVERSE_LIMITS,
} from '../domain/universe.ts'
import { DateTime, Id, Moment, Uri } from './fields.ts'
import { Credentials, EXAMPLE_TOKEN, Token, User } from './user.ts'

const HOURS_FAULT = `must be a whole number from 1 to ${IDLE_HOURS_MAX}`

const Seed = z.enum(SEEDS).meta({
  id: 'UniverseSeed',
  description: doc(
    'What a new universe contains besides its owner. `catalogue`: the planets that the service ships with. `blank`: no planets.',
  ),
})

export const UniverseInput = z
  .strictObject({
    seed: Seed.default('catalogue'),
    hours: z
      .int(HOURS_FAULT)
      .min(1, HOURS_FAULT)
      .max(IDLE_HOURS_MAX, HOURS_FAULT)
      .meta({
        description: doc('The universe ends after this many hours without a request'),
        examples: [IDLE_HOURS_DEFAULT],
      })
      .default(IDLE_HOURS_DEFAULT),
  })
  .meta({
    id: 'UniverseInput',
    description: doc(
      `What a new universe contains, and when it ends. The defaults are the catalogue and ${IDLE_HOURS_DEFAULT} hours.`,
    ),
    xml: { name: 'universe' },
    examples: [{ seed: 'catalogue', hours: IDLE_HOURS_DEFAULT }],
  })

const urlMember = (description: string, example: string) => Uri.meta({ description, examples: [example] })

const EXAMPLE_HOST_URL = `https://${EXAMPLE_UNIVERSE_ID}.universes.example`

const EXAMPLE = {
  id: EXAMPLE_UNIVERSE_ID,
  url: EXAMPLE_UNIVERSE_URL,
  seed: 'catalogue',
  createdAt: '2026-01-15T14:30:00.000Z',
  expiresAt: '2026-01-16T14:30:00.000Z',
}

const common = {
  id: z.string().meta({
    description: doc('An id that nobody can guess. Everybody who knows it can read the universe.'),
    examples: [EXAMPLE.id],
  }),
  url: urlMember(doc('The base URL of the universe. Every path of the API is below it.'), EXAMPLE.url),
  hostUrl: urlMember(
    doc(
      'The base URL of the universe at a host of its own. Absent if the deployment has no domain for universes, or if `url` is this URL.',
    ),
    EXAMPLE_HOST_URL,
  ).optional(),
  seed: Seed,
  createdAt: DateTime.meta({ examples: [EXAMPLE.createdAt] }),
  expiresAt: DateTime.meta({
    description: doc('When the universe ends. Each request postpones this time, unless the owner has set it.'),
    examples: [EXAMPLE.expiresAt],
  }),
}

/** A universe that was just made, with the secrets of its owner. */
export const CreatedUniverse = z
  .object({
    ...common,
    owner: z
      .object({
        id: Id,
        name: User.shape.name.unwrap(),
        email: Credentials.shape.email,
        password: z.string().meta({ description: doc('Shown only now, because it is not stored') }),
      })
      .meta({ id: 'UniverseOwner', description: doc('The account that owns the universe and the planets in it') }),
    token: Token.shape.token.meta({ description: doc('A token of the owner, to send as `Authorization: Bearer …`') }),
  })
  .meta({
    id: 'CreatedUniverse',
    description: doc('A new universe, with the account that owns it'),
    xml: { name: 'universe' },
    examples: [
      {
        ...EXAMPLE,
        owner: { id: OWNER_ID, name: 'Galaxy', email: 'owner@universe.example', password: 'q7XvYz3mR9tKpL2w' },
        token: EXAMPLE_TOKEN,
      },
    ],
  })

const SHIPPED_PLANETS = 5402
const EXAMPLE_LIMITS = { planets: SHIPPED_PLANETS + OWN_PLANETS_MAX, ...UNIVERSE_LIMITS }
const EXAMPLE_USAGE = {
  planets: SHIPPED_PLANETS,
  users: 1,
  images: 0,
  imageBytes: 0,
  deliveries: 0,
  inboxes: 0,
  labRuns: 0,
}

const figure = (description: string, name: keyof typeof EXAMPLE_USAGE) =>
  z.int().meta({ description, examples: [EXAMPLE_USAGE[name]] })

const Figures = z
  .object({
    planets: figure(doc('Planets, including those that the universe was made with'), 'planets'),
    users: figure(doc('Accounts, including the owner'), 'users'),
    images: figure(doc('Uploaded images that planets show'), 'images'),
    imageBytes: figure(doc('The bytes of these images'), 'imageBytes'),
    deliveries: figure(doc('Deliveries of callbacks'), 'deliveries'),
    inboxes: figure(doc('Inboxes'), 'inboxes'),
    labRuns: figure(doc('Runs of the laboratory'), 'labRuns'),
  })
  .meta({ id: 'UniverseFigures', description: doc('How much of each thing a universe contains, or can contain') })

const TOKEN_SECONDS_FAULT = `must be a whole number from ${TOKEN_SECONDS_MIN} to ${TOKEN_SECONDS_MAX}`

const TokenSeconds = z
  .int(TOKEN_SECONDS_FAULT)
  .min(TOKEN_SECONDS_MIN, TOKEN_SECONDS_FAULT)
  .max(TOKEN_SECONDS_MAX, TOKEN_SECONDS_FAULT)
  .meta({
    description: doc(
      'For how many seconds tokens of `POST /auth/token`, and access tokens of every grant, are valid that are issued from then on. No token lives longer than its grant or client. Older tokens, ID tokens, codes and refresh tokens keep their lifetimes.',
    ),
    examples: [60],
  })

/** A universe as it describes itself. */
export const Universe = z.object({ ...common, tokenSeconds: TokenSeconds, limits: Figures, usage: Figures }).meta({
  id: 'Universe',
  description: doc('A universe: when it ends, what it can contain and what it contains'),
  xml: { name: 'universe' },
  examples: [{ ...EXAMPLE, tokenSeconds: TOKEN_SECONDS_MAX, limits: EXAMPLE_LIMITS, usage: EXAMPLE_USAGE }],
})

export const UniverseChange = z
  .strictObject({
    expiresAt: Moment.meta({
      description: doc(
        'The new end: later than now, and at most seven days after the universe was made. After this, requests no longer move it.',
      ),
      examples: [EXAMPLE_AHEAD],
    }).optional(),
    tokenSeconds: TokenSeconds.optional(),
  })
  .check(({ value, issues }) => {
    if (value.expiresAt === undefined && value.tokenSeconds === undefined)
      issues.push({ code: 'custom', message: 'is required without tokenSeconds', input: value, path: ['expiresAt'] })
  })
  .meta({
    id: 'UniverseChange',
    minProperties: 1,
    description: doc('The new end of a universe, the lifetime of its tokens, or both'),
    xml: { name: 'universe' },
    examples: [{ expiresAt: EXAMPLE_AHEAD }, { tokenSeconds: 60 }],
  })

export type Universe = z.infer<typeof Universe>
export type CreatedUniverse = z.infer<typeof CreatedUniverse>
export type UniverseChange = z.infer<typeof UniverseChange>
