import { PublicSuffixes } from '../domain/public-suffixes.ts'
import { readBuiltFile } from '../lib/built-file.ts'

/** The list among the files of the Worker. The build writes it (scripts/lib/suffix-list.ts). No path of the service leads to it. */
const FILE = '/suffixes/public-suffixes.txt'

/** The public suffix list, which is read when a host is first judged by it. */
export class SuffixList {
  readonly #assets: Fetcher
  #known: PublicSuffixes | undefined

  constructor(assets: Fetcher) {
    this.#assets = assets
  }

  /**
   * The registrable domain of a host, as `PublicSuffixes` defines it.
   *
   * @throws What `readBuiltFile` throws if the list cannot be read. This is not remembered
   */
  async domainOf(host: string): Promise<string | undefined> {
    // Requests at the same time may both read it: a request cannot wait for what another one has begun.
    this.#known ??= await this.#read()
    return this.#known.domainOf(host)
  }

  async #read(): Promise<PublicSuffixes> {
    const text = await readBuiltFile(this.#assets, FILE)
    return new PublicSuffixes(text.trimEnd().split('\n'))
  }
}
