import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { transform } from 'esbuild'

/** Maximum size of the deployed bundle after gzip, as Cloudflare counts it: all modules, without their source maps. */
export const BUNDLE_MAX_KIB = 366

const BYTES_PER_KIB = 1024
const SHOWN_PARTS_MAX = 12

/** An import without `type` is code, as in tsconfig.json. */
const VERBATIM = { compilerOptions: { verbatimModuleSyntax: true } }

/** The part of esbuild's metafile that is used here. Paths of outputs are relative to the folder of the build. */
interface Metafile {
  inputs: Record<string, unknown>
  outputs: Record<string, { inputs: Record<string, { bytesInOutput: number }> }>
}

/** The size of a build. */
export interface Bundle {
  /** After gzip. */
  kib: number
  /** The packages, and the folders of `src/`, with their bytes before gzip. Largest first. */
  parts: [name: string, bytes: number][]
  /** The files that it is made from. Paths are relative to the root. */
  files: string[]
}

/** Measures what `npm run build` has written to a folder. */
export async function measureBundle(folder: string): Promise<Bundle> {
  const metafile: Metafile = JSON.parse(await readFile(join(folder, 'bundle-meta.json'), 'utf8'))
  const outputs = Object.entries(metafile.outputs).filter(([path]) => !path.endsWith('.map'))
  const modules = await Promise.all(outputs.map(([path]) => readFile(join(folder, basename(path)))))
  return {
    kib: gzipSync(Buffer.concat(modules)).length / BYTES_PER_KIB,
    parts: partsOf(outputs.map(([, output]) => output)),
    files: Object.keys(metafile.inputs),
  }
}

/** The files of `src/` with code that a bundle does not contain. @param root Absolute path of the folder with `src/` */
export async function findStrangers({ files }: Pick<Bundle, 'files'>, root: string): Promise<string[]> {
  const paths = await Array.fromAsync(glob('src/**/*.{ts,tsx}', { cwd: root }))
  const others = paths.map((path) => path.replaceAll('\\', '/')).filter((path) => !files.includes(path))
  const codes = await Promise.all(others.map(async (path) => [path, await codeOf(join(root, path))] as const))
  return codes.filter(([, code]) => code !== '').map(([path]) => path)
}

/** What is left of a file without its types. */
async function codeOf(path: string): Promise<string> {
  const { code } = await transform(await readFile(path), { loader: 'tsx', tsconfigRaw: VERBATIM })
  return code
}

function partsOf(outputs: readonly Metafile['outputs'][string][]): Bundle['parts'] {
  const sizes = new Map<string, number>()
  for (const { inputs } of outputs) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const part = partOf(path)
      sizes.set(part, (sizes.get(part) ?? 0) + bytesInOutput)
    }
  }
  return [...sizes].sort(([, one], [, other]) => other - one)
}

/** `zod` for a file of that package, `src/http` for a file of that folder. */
function partOf(path: string): string {
  const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? []
  return name ?? dirname(path).split('/').slice(0, 2).join('/')
}

/** A line about the size, which says whether the bundle is within the limit. */
export function describeSize({ kib }: Bundle): string {
  const line = `Bundle: ${Math.ceil(kib)} KiB gzip (at most ${BUNDLE_MAX_KIB})`
  return isTooLarge({ kib }) ? `${line}. It is too large. These parts are the largest, in bytes before gzip:` : line
}

export function isTooLarge({ kib }: Pick<Bundle, 'kib'>): boolean {
  return kib > BUNDLE_MAX_KIB
}

/** The largest parts of a bundle, one on each line. */
export function describeParts({ parts }: Bundle): string {
  return parts
    .slice(0, SHOWN_PARTS_MAX)
    .map(([name, bytes]) => `${String(bytes).padStart(9)}  ${name}`)
    .join('\n')
}
