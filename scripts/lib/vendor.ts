import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { REFERENCE_COPY, REFERENCE_FILE, REFERENCE_SOURCE, sha256Of, type VendoredSource } from './vendored.ts'

// `npm run vendor -- VERSION` renews the API reference in `vendor/`: it takes the file out of the package, and writes
// down where it comes from.

const run = promisify(execFile)

const { name }: VendoredSource = JSON.parse(await readFile(REFERENCE_SOURCE, 'utf8'))
const [version] = process.argv.slice(2)
if (version === undefined) {
  console.error('Usage: npm run vendor -- VERSION')
  process.exit(2)
}
const folder = await mkdtemp(join(tmpdir(), 'galaxy-vendor-'))
try {
  await renew(version)
} finally {
  await rm(folder, { recursive: true })
}

async function renew(version: string): Promise<void> {
  const { stdout } = await run('npm', ['pack', `${name}@${version}`, '--json', '--pack-destination', folder])
  // npm has checked the integrity before it wrote the file.
  const [packed] = JSON.parse(stdout)
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', folder])
  const unpacked = join(folder, 'package')
  const { license } = JSON.parse(await readFile(join(unpacked, 'package.json'), 'utf8'))
  await copyFile(join(unpacked, REFERENCE_FILE), REFERENCE_COPY)
  const source: VendoredSource = {
    name,
    version: packed.version,
    license,
    integrity: packed.integrity,
    sha256: sha256Of(await readFile(REFERENCE_COPY)),
  }
  await writeFile(REFERENCE_SOURCE, `${JSON.stringify(source, null, 2)}\n`)
  console.log(`${name} ${packed.version} is in vendor/. Run npm run generate, and the tests of the API reference.`)
}
