import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ROOT } from '../../../scripts/lib/root.ts'

// A service may lie below a path. Code of pages knows its address from where it was loaded.

const BROWSER = join(ROOT, 'browser')
const WORLDS = ['common', 'common/u/one', 'common/u/two'] as const

type World = (typeof WORLDS)[number]

/** What the built scripts of a page contain. */
interface Page {
  BASE_PATH: string
  urlOf(path: string): string
  linkTo(path: string): string
  linkToPlanet(planet: { id: number }): string
  store(name: string, text: string): void
  readStored(name: string): string | null
  forgetPerson(): void
}

let folder = ''

afterEach(() => vi.unstubAllGlobals())

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galaxy-base-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Loads the code of a page from where each world has its scripts. */
async function load(world: World): Promise<Page> {
  const outfile = join(folder, world, 'assets', 'page.mjs')
  const contents = "export * from './lib/base.ts'; export * from './lib/storage.ts'"
  await build({ stdin: { contents, resolveDir: BROWSER }, bundle: true, format: 'esm', outfile })
  return await import(/* @vite-ignore */ pathToFileURL(outfile).href)
}

describe.each(WORLDS)('the code of a page below %s', (world) => {
  it('finds the service there', async () => {
    const { BASE_PATH, urlOf, linkTo, linkToPlanet } = await load(world)
    const base = pathToFileURL(join(folder, world)).href
    expect(BASE_PATH).toBe(new URL(base).pathname)
    expect(urlOf('/planets?limit=1')).toBe(`${base}/planets?limit=1`)
    expect(linkTo('/')).toBe(`${BASE_PATH}/`)
    expect(linkToPlanet({ id: 4 })).toBe(`${BASE_PATH}/explore/planets/4`)
  })
})

it('worlds of one origin keep what a tab has stored apart', async () => {
  const items = new Map<string, string>()
  const methods = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem(this: object, key: string, text: string) {
      items.set(key, text)
      Object.assign(this, { [key]: text })
    },
    removeItem: (key: string) => items.delete(key),
  }
  vi.stubGlobal('sessionStorage', Object.create(methods))
  const pages = await Promise.all(WORLDS.map(load))
  const readAll = () => pages.map((page) => page.readStored('session'))
  for (const [index, page] of pages.entries()) page.store('session', `of world ${index}`)
  expect(readAll()).toEqual(['of world 0', 'of world 1', 'of world 2'])
  pages[1]?.forgetPerson()
  expect(readAll()).toEqual(['of world 0', null, 'of world 2'])
  pages[0]?.forgetPerson()
  expect(readAll()).toEqual([null, null, 'of world 2'])
})

it('no code of a page has an address of the service of its own', async () => {
  const names = (await readdir(BROWSER, { recursive: true })).filter((name) => /\.tsx?$/.test(name))
  expect(names.length).toBeGreaterThan(50)
  const faults = await Promise.all(
    names
      .filter((name) => name !== join('lib', 'base.ts'))
      .map(async (name) => {
        const text = await readFile(join(BROWSER, name), 'utf8')
        return [...text.matchAll(OWN_ADDRESS)].map(([found]) => `${name}: ${found}`)
      }),
  )
  expect(faults.flat()).toEqual([])
})

/** A root-relative URL, the origin taken for the address, and the paths of pages (lib/base.ts has links). */
const OWN_ADDRESS =
  /(?:href|src|action)=(?:"\/|\{\s*['"`]\/)|location\.(?:origin|host)|location\.(?:assign|replace)\(['"`]\/|planet\/paths\.ts/g
