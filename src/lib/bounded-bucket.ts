import { within } from './within.ts'

/** How long R2 may take to answer a `put`. An image takes well below a second. */
export const PUT_MAX_MS = 10_000

/**
 * A bucket whose `put` fails if it is not answered in time. R2 always answers, but its local simulation never does if
 * the disk is full, and the request would wait without end. The object may still be stored later.
 *
 * @throws NoResultInTime from `put`
 */
export function boundBucket(bucket: R2Bucket, clock: { wait(milliseconds: number): Promise<void> }): R2Bucket {
  const bounded: Pick<R2Bucket, 'head' | 'get' | 'put' | 'delete' | 'list'> = {
    head: (key) => bucket.head(key),
    get: (key: string, options?: R2GetOptions) => bucket.get(key, options),
    put: ((key: string, value: ArrayBuffer, options?: R2PutOptions) =>
      within(PUT_MAX_MS, bucket.put(key, value, options), clock)) as R2Bucket['put'],
    delete: (keys) => bucket.delete(keys),
    list: (options) => bucket.list(options),
  }
  // The cast is safe, because the service calls nothing else of R2.
  return bounded as R2Bucket
}
