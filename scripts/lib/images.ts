import { Failure } from './failure.ts'
import type { Query } from './wrangler.ts'

/**
 * Removes an image. From the next request on, no planet shows it. The scheduled job of the service, which runs every
 * minute, removes the object: the job can do this both in a deployment and on this machine.
 *
 * @param key A result of `findImageKey`, so it needs no escaping in SQL
 * @returns Lines that say what was done
 * @throws Failure if there is no such image
 */
export async function removeImage(key: string, query: Query): Promise<string[]> {
  const [image] = await query(
    `select (select id from planets where image_key = '${key}') as planet from images where key = '${key}'`,
  )
  if (!image) throw new Failure(`Image ${key} does not exist.`)
  await query(
    `update planets set image_key = null, version = version + 1, last_updated = max(last_updated, unixepoch() * 1000)
     where image_key = '${key}'`,
    // The earliest time, because the job does not remove young orphans: their upload might be under way.
    `update images set orphaned_at = 0 where key = '${key}'`,
  )
  const { planet } = image
  return [
    planet === null ? `No planet shows image ${key}.` : `Planet ${planet} no longer shows image ${key}.`,
    'The service will remove the image within a minute.',
  ]
}
