import { readCompleteDocument } from '../../scripts/lib/complete-documents.ts'
import { atOrigin } from '../../src/domain/example-origin.ts'
import { findUniverse } from '../../src/domain/universe-address.ts'
import { type Asked, Conformance } from './conformance.ts'
import { dereferenced } from './dereferenced.ts'

/** Compares each response with the document of the world that it comes from, if universes are addressed by path. */
export class WorldConformance implements Pick<Conformance, 'findFaults'> {
  readonly #common: Conformance
  readonly #origin: string
  /** All universes have the same document, except for their addresses. */
  #universe: Promise<Conformance> | undefined

  constructor(common: Conformance, origin: string) {
    this.#common = common
    this.#origin = origin
  }

  async findFaults(asked: Asked, response: Response): Promise<string[]> {
    const found = findUniverse(new URL(asked.path, this.#origin), undefined)
    if (!found || found === 'no-universe') return await this.#common.findFaults(asked, response)
    this.#universe ??= this.#load(found.basePath)
    return await (await this.#universe).findFaults({ ...asked, path: found.path }, response)
  }

  async #load(basePath: string): Promise<Conformance> {
    const document = await readCompleteDocument('universe')
    return new Conformance(dereferenced(JSON.parse(atOrigin(document, this.#origin + basePath))))
  }
}
