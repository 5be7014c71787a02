import { findBuiltFile, readBuiltFile } from '../../lib/built-file.ts'

// The files with the guides. documents/guides/ creates their contents, and the build (scripts/lib/documents.ts) puts
// them among the files that the Worker can read. Their addresses use the example origin.

/** The folder of the guides among the files of the Worker. Clients cannot read it, because no route leads to it. */
const FOLDER = '/documents/guides'

/** Registry: the files about all guides. The runtime would redirect `.html`. */
export const GUIDE_FILES = {
  /** The content of the page /guides. */
  contents: 'contents.txt',
  llms: 'llms.txt',
  /** What the head of the page of each guide says, by its name. */
  heads: 'heads.json',
} as const

/** The name of the file with a guide: as Markdown, or the content of its page. */
export const guideFile = (name: string, notation: 'md' | 'txt') => `guide-${name}.${notation}`

/** What the head of a page says. */
export interface GuideHead {
  title: string
  description: string
}

/** @throws What `readBuiltFile` throws */
export async function readGuideFile(assets: Fetcher, file: keyof typeof GUIDE_FILES): Promise<string> {
  return await readBuiltFile(assets, `${FOLDER}/${GUIDE_FILES[file]}`)
}

/**
 * Reads a guide as Markdown, or the content of its page.
 *
 * @returns Undefined if there is no such guide
 * @throws What `findBuiltFile` throws
 */
export async function findGuide(assets: Fetcher, name: string, notation: 'md' | 'txt'): Promise<string | undefined> {
  return await findBuiltFile(assets, `${FOLDER}/${guideFile(name, notation)}`)
}
