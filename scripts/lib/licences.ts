import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundleBrowser } from './browser-files.ts'
import { buildFiles } from './build-files.ts'
import { bundlePackage } from './package-bundle.ts'
import { ROOT } from './root.ts'
import { REFERENCE_SOURCE, type VendoredSource } from './vendored.ts'
import { bundleForWorker } from './worker-bundle.ts'

// Writes THIRD_PARTY_LICENSES.txt: the licence of every package whose code is shipped, in the bundle of the Worker, to
// browsers, or in the package that `npm pack` makes. With --check, only compares it.

const FILE = join(ROOT, 'THIRD_PARTY_LICENSES.txt')

/** Packages whose files are read unchanged: the rules of the suffix list. */
const READ = ['tldts']

/** Licences that ask for nothing but their text, and a notice of changes. */
const ACCEPTED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
  'Zlib',
]

/** The folder of the package to which a file belongs. */
const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/
const LICENCE_FILE = /^licen[cs]e(?:[.-].*)?$/i
const SEPARATOR = '-'.repeat(80)

interface Licence {
  name: string
  /** The SPDX identifier. */
  licence: string
  text: string
}

await buildFiles()
const vendored: VendoredSource = JSON.parse(await readFile(REFERENCE_SOURCE, 'utf8'))
const licences = [withoutText(vendored), ...(await Promise.all((await listShipped()).map(readLicence)))].sort(byName)
const unknown = licences.filter(({ licence }) => !isAccepted(licence))
for (const { name, licence } of unknown) {
  console.error(`${name} has the licence ${licence}, which is not accepted (scripts/lib/licences.ts).`)
  process.exitCode = 1
}
const text = [
  'Galaxy ships code of these packages, in the Worker, in its pages, and in the package for Node.\n',
  ...licences.map(({ name, licence, text }) => `${SEPARATOR}\n${name} (${licence})\n${SEPARATOR}\n\n${text}\n`),
].join('\n')
if (!process.argv.includes('--check')) await writeFile(FILE, text)
else if ((await readFile(FILE, 'utf8').catch(() => '')) !== text) {
  console.error('THIRD_PARTY_LICENSES.txt is out of date with the packages. Run: npm run generate')
  process.exitCode = 1
}

/** Whether all licences of an SPDX expression are accepted, such as `(MIT AND Zlib)`. */
function isAccepted(expression: string): boolean {
  return expression
    .replaceAll(/[()]/g, '')
    .split(' AND ')
    .every((licence) => ACCEPTED.includes(licence))
}

function byName(one: Licence, other: Licence): number {
  return one.name < other.name ? -1 : 1
}

/** The folders of the packages whose code is in a bundle. */
async function listShipped(): Promise<string[]> {
  const bundles = await Promise.all([bundleForWorker(join(ROOT, 'src', 'index.ts')), bundleBrowser(), bundlePackage()])
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs))
  const shippedFiles = outputs
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([path]) => path)
  // Files of the project itself are in no package.
  const bundled = shippedFiles.map((path) => PACKAGE_FOLDER.exec(path)?.[0]).filter((folder) => folder !== undefined)
  return [...new Set([...bundled, ...READ.map((name) => join('node_modules', name))])]
}

/** @param folder Relative to the root */
async function readLicence(folder: string): Promise<Licence> {
  const path = join(ROOT, folder)
  const { name, license } = JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
  const file = (await readdir(path)).find((entry) => LICENCE_FILE.test(entry))
  if (!file) return withoutText({ name, license })
  return { name, licence: license, text: (await readFile(join(path, file), 'utf8')).replaceAll('\r\n', '\n').trim() }
}

/** The licence of a package that has no text of it. */
function withoutText({ name, license }: { name: string; license: string }): Licence {
  return { name, licence: license, text: `The package has no text of its licence: ${license}.` }
}
