import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig, type TestProjectConfiguration } from 'vitest/config'
import { buildFiles } from './scripts/lib/build-files.ts'
import { makeDataKey, makeSigningKeys } from './scripts/lib/local-secrets.ts'
import { countShippedPlanets } from './scripts/lib/shipped-planets.ts'
import { keepTemporaryFilesInMemory } from './test/support/memory-folder.ts'

// The Worker imports the lists of these files.
await buildFiles()

/**
 * The folder of this machine for temporary files. Tests on Node use it, because they also run programs from there. The
 * Workers runtimes, and the service that the tests on Node share, have their databases in memory.
 */
const TEMPORARY_FOLDER = keepTemporaryFilesInMemory()

/** What a test may take from `inject()`. It is small, because vitest sends it to the runtime again for each file. */
const database = {
  migrations: await readD1Migrations('migrations'),
  shipped: countShippedPlanets(),
}

const bindings = {
  SIGNING_KEYS: await makeSigningKeys(),
  DATA_KEY: makeDataKey('1'),
  PASSWORD_ITERATIONS: '10',
  LOG_REQUESTS: 'off',
}

/** Tests of the service that also run in a universe. They are the same files. */
const IN_UNIVERSES = ['test/worker/{auth,features,http}/**/*.test.ts', 'test/worker/openapi/links.test.ts']

/** Those of them that are about something that only the common world has. */
const ONLY_COMMON = [
  // The memory of the shipped planets, and the page that is drawn from it. Each file of a universe begins without them.
  'features/{catalogue,catalogue-document,explorer-page,shipped-in-xml}.test.ts',
  // What visitors made is removed at an age. A universe ends as a whole.
  'features/visitor-retention.test.ts',
  // Bookmarks, and messages of D1 itself.
  'features/bookmarks.test.ts',
  // The common world has 500 inboxes, and 50 of each network. A universe has 50 of its own.
  'features/callbacks/inbox-limits.test.ts',
  // More deliveries than a universe keeps.
  'features/callbacks/requeue-many.test.ts',
  // The host of the echo belongs to no world.
  'features/echo/echo-host.test.ts',
  // A request in an object cannot wait for another request.
  'http/pipeline/held-requests.test.ts',
  // A stream of a test that breaks off ends like any other when it comes to an object.
  'http/cut-off-bodies.test.ts',
  // They work in several worlds, or below a path, wherever they run.
  'auth/worlds.test.ts',
  'features/{universes,universe-owner}.test.ts',
  'features/callbacks/inboxes-of-worlds.test.ts',
  'http/base-path/*.test.ts',
  // The host of images serves those of all worlds.
  'features/image-host.test.ts',
].map((path) => `test/worker/${path}`)

/**
 * Those that always run there. A request takes several times as long there as in a test of the common world, so the
 * others run with `EVERYTHING_IN_UNIVERSES=1`.
 */
const ALWAYS_IN_UNIVERSES = {
  'universe by path': [
    'auth/{ended-midway,password-work}.test.ts',
    'features/{conditions,observations,planets,planet-copy*,planet-patch,planet-lists,planet-list-faults}.test.ts',
    'features/live/*.test.ts',
    'features/callbacks/inboxes.test.ts',
    'features/callbacks/trace.test.ts',
    'features/health/*.test.ts',
    'features/lab/documents.test.ts',
    'features/oauth/{rfc8414-metadata/metadata,rfc9700-best-practice/redirects}.test.ts',
    'features/oauth/rfc8628-device/{changes,page,polling}.test.ts',
    'http/errors/absence.test.ts',
    'http/{deprecation,endless-body,request-line,server-timing}.test.ts',
    'http/pipeline/only-once.test.ts',
    'openapi/links.test.ts',
    'site/guides.test.ts',
  ].map((path) => `test/worker/${path}`),
  'universe by host': [
    'features/{observations,planets,planet-copy*,planet-patch,planet-lists,planet-list-faults}.test.ts',
    'features/lab/documents.test.ts',
    'features/oauth/rfc8628-device/polling.test.ts',
    'openapi/links.test.ts',
  ].map((path) => `test/worker/${path}`),
}

const RUNS_EVERYTHING = process.env.EVERYTHING_IN_UNIVERSES === '1'

/** Those that cannot run in a universe with a host of its own: they are about other hosts. */
const NOT_BY_HOST = ['test/worker/http/host.test.ts']

/**
 * Those that `npm run test:quick` leaves out, because each takes more than two seconds: products of every route with
 * something, random requests, and what waits.
 */
const LONG = [
  'auth/{cookie,ended-midway,foreign-issuers,open-operations,side-by-side}',
  'domain/mask-credentials',
  'features/{account-removal,catalogue-document,celestial-bodies,documents,faults,images,lists,lost-races,observations}',
  'features/{page-bytes,page-growth}',
  'features/{planet-copy*,planet-lists,planet-patch,room,round-trip,shipped-in-xml,universe-owner,visitor-retention}',
  'features/callbacks/{inboxes,planet-callbacks,receiver-checks,receiver-tests,retries,target-limits,webhooks}',
  'features/lab/{credentials,documents,violate,without}',
  'features/{live/stream,oauth/{pages/limits,rfc8628-device/page,openid-connect-core/remembered-consent}}',
  'http/{api-versions,attacks,compressed-bodies,deprecation,options,preferences}',
  'http/{base-path/everything,errors/error-styles,pipeline/{loop-guard,only-once}}',
  'hub/{hub,requests,under-way}',
  '{costs,matrix,openapi/examples,security,site/planet/page,universes/figures,xml/round-trip}',
].map((path) => `test/worker/${path}.test.ts`)

/** The same of those on Node. */
const LONG_ON_NODE = [
  'test/pure/openapi/{generators,newer}.test.ts',
  'laboratory/test/judge/own-requests.test.ts',
  'test/interop/lab/recordings.test.ts',
]

/** Those on Node that also run in the Workers runtime, because their subjects rest on its parsers of URLs and texts. */
const ALSO_IN_WORKERS = ['domain/url-guard*', 'xml/encoding', 'lib/{text,multipart}'].map(
  (name) => `test/pure/${name}.test.ts`,
)

/** Those that replace modules, or load those of the service anew, so that no other file may share theirs. */
const WITH_MODULES_OF_THEIR_OWN = ['pure/routes', 'service/{pages/{live-parts,session,storage},wrangler-output}'].map(
  (name) => `test/${name}.test.ts`,
)

/**
 * The files of the Workers runtime are one group: while the last file of a project runs, the next project begins. Those
 * on Node follow, because they need the machine's time to themselves. Only their preparation runs meanwhile.
 */
const IN_RUNTIME = 0
const ON_NODE = 1

/** What takes a second alone can take many on a busy machine. */
const TIMEOUT_MS = 20_000

/**
 * What a page shows in an instant, and what a command does in a second, can take many on a busy machine. A hook can make
 * a package.
 */
const TIMES_ON_NODE = { testTimeout: 120_000, hookTimeout: 300_000, expect: { poll: { timeout: 60_000 } } }

const ENV_ON_NODE = { TMPDIR: TEMPORARY_FOLDER }

/**
 * How many files run at the same time on Node: more than cores, because each waits for a third of its time (for services
 * to start and end, and for what happens after seconds). With three, two cores were used by 59 %.
 */
const FILES_ON_NODE = 5

/** A project that runs tests in a universe. */
function universeProject(
  world: 'universe by path' | 'universe by host',
  more: readonly string[] = [],
): TestProjectConfiguration {
  return {
    plugins: [
      cloudflareTest({
        main: './test/support/universe-worker.ts',
        wrangler: { configPath: './wrangler.toml' },
        miniflare: { bindings: { ...bindings, UNIVERSE_HOST: 'universes.test' } },
      }),
    ],
    test: {
      name: world,
      include: [...(RUNS_EVERYTHING ? IN_UNIVERSES : ALWAYS_IN_UNIVERSES[world]), ...more],
      exclude: world === 'universe by host' ? [...ONLY_COMMON, ...NOT_BY_HOST] : ONLY_COMMON,
      setupFiles: ['test/support/universe-set-up.ts'],
      testTimeout: TIMEOUT_MS,
      maxWorkers: 2,
      isolate: false,
      sequence: { groupOrder: IN_RUNTIME },
      provide: { database, world },
    },
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      {
        // Functions, stores and the app, in the runtime that serves them, with its own D1 and R2.
        plugins: [
          cloudflareTest({
            main: './src/index.ts',
            wrangler: { configPath: './wrangler.toml' },
            miniflare: { bindings },
          }),
        ],
        test: {
          name: 'worker',
          include: ['test/worker/**/*.test.ts', ...ALSO_IN_WORKERS],
          // Those that run on Node too need not run twice while one works.
          exclude: mode === 'quick' ? [...LONG, ...ALSO_IN_WORKERS] : [],
          setupFiles: ['test/support/database.ts'],
          testTimeout: TIMEOUT_MS,
          maxWorkers: 2,
          // The code keeps nothing outside of what is passed in, and what is stored is emptied for each file
          // (setupFiles).
          isolate: false,
          sequence: { groupOrder: IN_RUNTIME },
          provide: { database, world: 'common' },
        },
      },
      {
        // Code that needs no runtime of Workers, where it is read and run in less time.
        test: {
          name: 'pure',
          include: ['test/pure/**/*.test.ts', 'laboratory/test/**/*.test.ts', 'test/interop/lab/*.test.ts'],
          exclude: [...WITH_MODULES_OF_THEIR_OWN, ...(mode === 'quick' ? LONG_ON_NODE : [])],
          testTimeout: TIMEOUT_MS,
          maxWorkers: 2,
          isolate: false,
          sequence: { groupOrder: IN_RUNTIME },
        },
      },
      // Also the tests of universes themselves, which need the same Worker.
      universeProject('universe by path', ['test/universes/**/*.test.ts']),
      universeProject('universe by host'),
      {
        // The commands that a user types, on Node.
        test: {
          name: 'service',
          include: ['test/service/**/*.test.ts'],
          exclude: WITH_MODULES_OF_THEIR_OWN,
          globalSetup: ['test/service/set-up.ts'],
          setupFiles: ['test/service/until-prepared.ts'],
          ...TIMES_ON_NODE,
          env: ENV_ON_NODE,
          // Files that need a service of their own start one, the others share one.
          maxWorkers: FILES_ON_NODE,
          // To load what drives browsers, and what judges responses, takes a second.
          isolate: false,
          sequence: { groupOrder: ON_NODE },
        },
      },
      {
        // Files of pages and of commands, of which a test replaces something that they import.
        test: {
          name: 'modules',
          include: WITH_MODULES_OF_THEIR_OWN,
          ...TIMES_ON_NODE,
          env: ENV_ON_NODE,
          maxWorkers: FILES_ON_NODE,
          sequence: { groupOrder: ON_NODE },
        },
      },
    ],
    coverage: {
      provider: 'istanbul',
      include: ['src/**'],
      reporter: ['text'],
    },
  },
}))
