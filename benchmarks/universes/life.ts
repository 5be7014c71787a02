import { type Finding, median, percentile, request, time } from '../measure.ts'
import { endUniverse, makeUniverse, resetUniverse, type Seed } from './universe.ts'

const COUNT = 30
const WARM_UP = 3
const CREATION_MS = 300
const RESET_MS = 200

/** How long the steps of the life of one universe took, in milliseconds. */
interface Life {
  creation: number
  'first read': number
  reset: number
  deletion: number
}

/** Creation, reset and deletion of universes, one after the other. */
export async function measureLife(url: string): Promise<Finding[]> {
  console.log(`Measuring: the lives of ${COUNT} universes of each seed …`)
  const lives: Record<Seed, Life[]> = { catalogue: [], blank: [] }
  for (let index = -WARM_UP; index < COUNT; index++) {
    for (const seed of ['catalogue', 'blank'] as const) {
      const life = await live(url, seed)
      if (index >= 0) lives[seed].push(life)
    }
  }
  console.table([...describe('catalogue', lives.catalogue), ...describe('blank', lives.blank)])
  const medianOf = (step: keyof Life) => median(lives.catalogue.map((life) => life[step]))
  return [
    { name: `creation of a universe, of ${CREATION_MS} ms`, ratio: medianOf('creation') / CREATION_MS, atMost: 1 },
    { name: `reset of a universe, of ${RESET_MS} ms`, ratio: medianOf('reset') / RESET_MS, atMost: 1 },
  ]
}

async function live(url: string, seed: Seed): Promise<Life> {
  const started = performance.now()
  const universe = await makeUniverse(url, seed)
  const creation = performance.now() - started
  return {
    creation,
    'first read': await time(request(`${universe.url}/planets?limit=1`, 200)),
    reset: await time(() => resetUniverse(universe)),
    deletion: await time(() => endUniverse(universe)),
  }
}

function describe(seed: Seed, lives: readonly Life[]) {
  return (['creation', 'first read', 'reset', 'deletion'] as const).map((step) => {
    const times = lives.map((life) => life[step])
    return { seed, step, 'median, ms': Math.round(median(times)), 'p95, ms': Math.round(percentile(times, 95)) }
  })
}
