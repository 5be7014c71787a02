import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makePicture } from '../support/pictures.ts'
import { type Client, forEachOf, signUp, sweep, until } from './callbacks-client.ts'
import { CRASHES_TIMEOUT_MS, ROUNDS } from './crash.ts'
import { bodyOf, FOR_MANY_USERS, type ScheduledGalaxy, startGalaxy } from './galaxy.ts'
import { killAll, untilMoment } from './kill-all.ts'
import { findDamage, queryState } from './local-database.ts'
import { freePort } from './ports.ts'
import { makePreparedState } from './prepared-state.ts'

// A 201 or 200 of a COPY promises a planet with an image of its own, whenever the service is killed. An image is an
// object beside the database, so what a kill leaves of it must be found again.

const COPIERS = 4
const LOAD_MIN_MS = 300
const LOAD_MAX_MS = 1500
/** How long the sweep leaves an image that no planet shows to the request that may show it. */
const ORPHAN_GRACE_MS = 60 * 60 * 1000
const SWEEPS_TIMEOUT_MS = 60_000
const PICTURE = makePicture('image/png', 60_000)

interface Ledger {
  /** The image of each promised planet, by its id. */
  promised: Map<number, string>
  /** Requests that have been sent, and not been answered yet. */
  underWay: number
  unanswered: number
  /** Those of them whose status was answered. */
  cutOff: number
  /** Images that no planet showed at a kill: those under way, and those that were just replaced. */
  orphans: number
  faults: string[]
}

interface Copier {
  client: Client
  sourceId: number
  /** The planet onto which every second COPY goes. Undefined before the first one is answered. */
  ownId: number | undefined
}

async function prepare(galaxy: ScheduledGalaxy, name: string): Promise<Copier> {
  const client = await signUp(galaxy, `${name}@example.com`)
  const { id } = await bodyOf(await client.post('/planets', { name, satellites: [{ name: 'Krelln' }] }))
  const form = new FormData()
  form.set('image', new Blob([PICTURE]))
  const sender = client.by((url, init) => fetch(url, { ...init, body: form }))
  const uploaded = await sender.post(`/planets/${id}/image`)
  if (uploaded.status !== 200) throw new Error(`an upload was answered with ${uploaded.status}`)
  await uploaded.body?.cancel()
  return { client, sourceId: id, ownId: undefined }
}

/** Copies a planet with an image to new planets and onto an own one, in turn, until the service is killed. */
async function copy(copier: Copier, ledger: Ledger, load: { isOver: boolean }): Promise<void> {
  for (let count = 0; !load.isOver; count++) {
    const ownId = count % 2 === 0 ? undefined : copier.ownId
    const Destination = ownId === undefined ? '/planets' : `/planets/${ownId}`
    const sender = copier.client.by((url, init = {}) =>
      fetch(url, { ...init, method: 'COPY', headers: { ...Object(init.headers), Destination } }),
    )
    ledger.underWay++
    const response = await sender.post(`/planets/${copier.sourceId}`).catch(() => undefined)
    // The kill may cut off the body.
    const planet = response && (await bodyOf(response).catch(() => undefined))
    ledger.underWay--
    if (planet === undefined) {
      ledger.unanswered++
      if (response) ledger.cutOff++
      // The planet shows its image, or the copy of this request.
      if (ownId !== undefined) ledger.promised.delete(ownId)
      await sleep(5)
    } else if (response?.status === 201 || response?.status === 200) {
      ledger.promised.set(planet.id, planet.image)
      copier.ownId ??= planet.id
    } else ledger.faults.push(`a COPY was answered with ${response?.status}: ${JSON.stringify(planet)}`)
  }
}

/** The keys of the objects in the bucket of a service that does not run. */
function listObjects(folder: string): string[] {
  const root = join(folder, 'v3', 'r2')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.sqlite'))
  return files.flatMap((name) => {
    const database = new DatabaseSync(join(root, name))
    try {
      const isBucket = database.prepare("select 1 from sqlite_master where name = '_mf_objects'").all().length > 0
      return isBucket
        ? database
            .prepare('select key from _mf_objects')
            .all()
            .map(({ key }) => String(key))
        : []
    } finally {
      database.close()
    }
  })
}

/** Looks whether each promised planet is there, with the bytes of its image. */
async function verify({ client }: Copier, { promised, faults }: Ledger): Promise<void> {
  const read = client.by(fetch)
  await forEachOf([...promised], COPIERS, async ([id, image]) => {
    const response = await read.get(`/planets/${id}`)
    const planet = await bodyOf(response)
    if (response.status !== 200) return void faults.push(`planet ${id}: ${response.status}`)
    if (planet.image !== image || planet.satellites?.length !== 1)
      faults.push(`planet ${id}: ${JSON.stringify(planet)}`)
    const picture = await fetch(image)
    const bytes = Buffer.from(await picture.arrayBuffer())
    if (!bytes.equals(PICTURE)) faults.push(`planet ${id}: its image is ${picture.status} with ${bytes.length} bytes`)
  })
}

it(
  `keeps every copy that was promised, and no other image, through ${ROUNDS} crashes`,
  async () => {
    const { folder, remove } = await makePreparedState()
    const port = await freePort()
    const start = () => startGalaxy(['--port', String(port), '--persist-to', folder, ...FOR_MANY_USERS])
    const ledger: Ledger = { promised: new Map(), underWay: 0, unanswered: 0, cutOff: 0, orphans: 0, faults: [] }
    const countOrphans = () => queryState(folder, 'select 1 from images where orphaned_at is not null').length
    let galaxyOf: ScheduledGalaxy
    try {
      galaxyOf = await start()
      const copiers: Copier[] = []
      for (let index = 0; index < COPIERS; index++) copiers.push(await prepare(galaxyOf, `copier-${index}`))
      const [first] = copiers
      if (!first) throw new Error('there is no copier')
      let total = 0
      for (let round = 1; round <= ROUNDS; round++) {
        ledger.promised.clear()
        for (const copier of copiers) copier.ownId = undefined
        const load = { isOver: false }
        const work = copiers.map((copier) => copy(copier, ledger, load))
        // A service that has just started needs a while for its first answer.
        await until(
          () => ledger.promised.size,
          (size) => size > 0,
        )
        await sleep(LOAD_MIN_MS + Math.random() * (LOAD_MAX_MS - LOAD_MIN_MS))
        await killAll(
          folder,
          () => untilMoment(() => ledger.underWay > 0),
          () => (load.isOver = true),
        )
        await Promise.all(work)
        const orphans = countOrphans()
        // The clock of the service cannot be set, so the times in the database are moved into the past.
        queryState(
          folder,
          `update images set orphaned_at = orphaned_at - ${ORPHAN_GRACE_MS} where orphaned_at is not null`,
        )
        galaxyOf = await start()
        await verify(first, ledger)
        await until(
          async () => {
            await sweep(galaxyOf)
            return countOrphans()
          },
          (left) => left === 0,
          SWEEPS_TIMEOUT_MS,
        ).catch(({ message }) => ledger.faults.push(`orphans are left: ${message}`))
        total += ledger.promised.size
        ledger.orphans += orphans
        console.log(`round ${round}: ${ledger.promised.size} copies promised, ${orphans} orphans`)
      }
      console.log(
        `${total} promised, ${ledger.orphans} orphans, ${ledger.unanswered} unanswered, ${ledger.cutOff} cut off`,
      )
      await killAll(folder)
      const shown = queryState(folder, 'select image_key as key from planets where image_key is not null')
      const keys = shown.map(({ key }) => String(key)).toSorted()
      expect(ledger.faults).toEqual([])
      expect(
        queryState(folder, 'select key from images')
          .map(({ key }) => String(key))
          .toSorted(),
      ).toEqual(keys)
      expect(listObjects(folder).toSorted()).toEqual(keys)
      expect(findDamage(folder)).toEqual([])
      // Otherwise the service was killed only when there was nothing to lose.
      expect(total).toBeGreaterThan(0)
      expect(ledger.unanswered).toBeGreaterThan(0)
    } finally {
      await killAll(folder)
      await remove()
    }
  },
  CRASHES_TIMEOUT_MS,
)
