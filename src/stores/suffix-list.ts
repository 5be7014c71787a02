import { PublicSuffixes } from '../domain/public-suffixes.ts'
import { readBuiltFile } from '../lib/built-file.ts'

/**
 * The file with the list, which the build writes (scripts/lib/suffix-list.ts). The Worker can read the file, but no URL
 * of the service leads to it.
 */
const FILE = '/suffixes/public-suffixes.txt'

/** The public suffix list. It is read when it is first needed. */
export class SuffixList {
  readonly #assets: Fetcher
  #suffixes: PublicSuffixes | undefined

  constructor(assets: Fetcher) {
    this.#assets = assets
  }

  /** @throws The error of `readBuiltFile` if the list cannot be read. The next call tries again */
  async domainOf(host: string): Promise<string | undefined> {
    // Concurrent requests may all read the list, because the runtime does not let a request wait for the work of
    // another.
    this.#suffixes ??= await this.#read()
    return this.#suffixes.domainOf(host)
  }

  async #read(): Promise<PublicSuffixes> {
    const text = await readBuiltFile(this.#assets, FILE)
    return new PublicSuffixes(text.trimEnd().split('\n'))
  }
}
