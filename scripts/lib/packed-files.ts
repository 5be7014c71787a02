import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { ROOT } from './root.ts'

// Two files of the package are not those of the clone: package.json and README.md. npm packs what stands in the folder
// under these names, and has no option for others. So they stand there while npm packs, and those of the clone in
// `dist/clone`.

const { NEEDED_NODE }: { NEEDED_NODE: string } = createRequire(import.meta.url)('../../bin/needed-node.cjs')

/** Registry: the files, and how each is made. */
const PACKED: Readonly<Record<string, (root: string, ofClone: string) => Promise<string>>> = {
  // The Node of the clone is among its packages, so it begins with an older one. All else stays, so that npm commands run
  // meanwhile, and after an interruption.
  'package.json': async (_, ofClone) =>
    `${JSON.stringify({ ...JSON.parse(ofClone), engines: { node: `>=${NEEDED_NODE}` } }, null, 2)}\n`,
  'README.md': (root) => readFile(join(root, 'package', 'packed-readme.md'), 'utf8'),
}

const keptIn = (root: string, name: string) => join(root, 'dist', 'clone', name)

/** Puts the files of the package into a clone. @param root The folder of the clone */
export async function layOutPackedFiles(root = ROOT): Promise<void> {
  for (const [name, make] of Object.entries(PACKED)) {
    const ofClone = await readFile(join(root, name), 'utf8')
    const packed = await make(root, ofClone)
    await mkdir(dirname(keptIn(root, name)), { recursive: true })
    await writeFile(keptIn(root, name), ofClone)
    await writeFile(join(root, name), packed)
  }
}

/**
 * Puts the files of the clone back. If npm was interrupted, the next `npm pack` does it.
 *
 * @throws Error if somebody has changed a file meanwhile. Then it stays
 */
export async function putBackFilesOfClone(root = ROOT): Promise<void> {
  for (const [name, make] of Object.entries(PACKED)) {
    const kept = keptIn(root, name)
    if (!existsSync(kept)) continue
    const ofClone = await readFile(kept, 'utf8')
    const current = await readFile(join(root, name), 'utf8')
    if (current !== ofClone && current !== (await make(root, ofClone)))
      throw new Error(`${name} was changed while npm packed. That of the clone is ${kept}: put it back, or remove it.`)
    await rename(kept, join(root, name))
  }
}
