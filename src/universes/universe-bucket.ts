import type { Admission } from './embedded-database.ts'
import type { UniverseRecord } from './record.ts'

/** Maximum number of objects that R2 lists or deletes in one call. */
const OBJECTS_PER_CALL = 1000

/** The keys of everything that a universe stores in the common bucket begin with this. */
export function keyPrefixOf(universeId: string): string {
  return `u/${universeId}/`
}

/** The keys of the images of a universe since its last reset begin with this. */
export function imagePrefixOf({ id, resets }: Pick<UniverseRecord, 'id' | 'resets'>): string {
  return `${keyPrefixOf(id)}${resets}/`
}

/**
 * The bucket as one universe sees it. All keys get a prefix, so a universe cannot name a key of another universe.
 * After a reset or the end, `put` is refused. Reading and deletion are not, because all objects with the prefix are
 * then removed.
 */
export function openUniverseBucket(bucket: R2Bucket, prefix: string, admit: Admission): R2Bucket {
  const prefixed: Pick<R2Bucket, 'head' | 'get' | 'put' | 'delete'> = {
    head: (key) => bucket.head(prefix + key),
    get: (key: string, options?: R2GetOptions) => bucket.get(prefix + key, options),
    put: (async (key: string, value: ArrayBuffer, options?: R2PutOptions) => {
      admit()
      const object = await bucket.put(prefix + key, value, options)
      await removeIfLate(bucket, prefix + key, admit)
      return object
    }) as R2Bucket['put'],
    delete: (keys) => bucket.delete([keys].flat().map((key) => prefix + key)),
  }
  // The cast is safe, because the service calls nothing else of R2.
  return prefixed as R2Bucket
}

/**
 * Removes an object again if the universe ended or was reset while the object was being stored. No row would refer to
 * the object, so nothing else would remove it.
 *
 * @throws Any error of `admit`
 */
async function removeIfLate(bucket: R2Bucket, key: string, admit: Admission): Promise<void> {
  try {
    admit()
  } catch (error) {
    await bucket.delete(key)
    throw error
  }
}

export async function emptyPrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix, limit: OBJECTS_PER_CALL })
    if (objects.length > 0) await bucket.delete(objects.map(({ key }) => key))
    if (!truncated) return
  }
}
