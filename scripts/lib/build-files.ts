import { buildBrowser } from './browser-files.ts'
import { buildDocuments } from './documents.ts'
import { buildProblemGuides } from './problem-guides.ts'
import { buildSuffixList } from './suffix-list.ts'
import { buildUniverseSeed } from './universe-seed.ts'

/**
 * Builds every file that the Worker needs besides its own code: what pages load, the documents about the service, the
 * seed of universes, the texts about problems, and the public suffix list.
 */
export async function buildFiles(): Promise<void> {
  // The code that writes the documents imports the list of what pages load, so that list comes first.
  await Promise.all([buildBrowser().then(buildDocuments), buildUniverseSeed(), buildProblemGuides(), buildSuffixList()])
}
