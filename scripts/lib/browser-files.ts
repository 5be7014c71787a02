import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { build, type Metafile, type OutputFile, transform } from 'esbuild'
import type { BrowserFiles } from '../../src/design/browser-files.ts'
import { removeOld, replaceFile, writeIfChanged } from './built-files.ts'
import { ROOT } from './root.ts'
import { REFERENCE_COPY, REFERENCE_SOURCE, type VendoredSource } from './vendored.ts'

const SOURCE = join(ROOT, 'browser')
/** What the build writes: the files that are served, and the list of their URLs for the Worker. */
const OUTPUT = join(ROOT, 'dist', 'browser')
const PUBLIC = join(OUTPUT, 'public')
const LIST = join(OUTPUT, 'files.json')

/**
 * Bundles each file in `browser/pages` and the stylesheet, and copies the bundle of the API reference. Takes less than
 * a second. Builds may run side by side: a file is replaced as a whole, and only if its content differs.
 */
export async function buildBrowser(): Promise<void> {
  const { outputFiles, metafile } = await bundleBrowser()
  const reference = await copyReference()
  const referenceStyles = await makeReferenceStyles(outputFiles)
  const files = [...outputFiles, referenceStyles]
  await Promise.all(files.map(({ path, contents }) => writeIfChanged(path, contents)))
  const list = listFiles(metafile, reference, urlOf(referenceStyles.path))
  await writeIfChanged(LIST, Buffer.from(JSON.stringify(list)))
  await removeOld(join(PUBLIC, 'assets'), [...files.map(({ path }) => basename(path)), basename(dirname(reference))])
}

/** Bundles the code that runs in browsers, without writing it. */
export async function bundleBrowser() {
  const pages = (await readdir(join(SOURCE, 'pages'))).map((name) => join(SOURCE, 'pages', name))
  return await build({
    entryPoints: [...pages, join(SOURCE, 'styles', 'galaxy.css')],
    absWorkingDir: ROOT,
    outdir: join(PUBLIC, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: 'shared-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2024',
    minify: true,
    sourcemap: 'linked',
    metafile: true,
    write: false,
  })
}

/**
 * The parts of the page of the API reference that are ours. The vendor adds elements to `#reference` and to the body.
 */
const OWN_PARTS = '.skip-link,.site-header,.universe,.documents,.operations,.site-footer'
const VENDOR_PARTS = `:scope>:not(main,${OWN_PARTS}),#reference>:not(${OWN_PARTS})`

/**
 * The stylesheet of the API reference: that of all pages, but only for our parts, and with `reference.css`. So no rule
 * of ours can reach an element of the vendor (https://drafts.csswg.org/css-cascade-6/#scoped-styles).
 *
 * @param outputFiles What esbuild has bundled
 */
async function makeReferenceStyles(outputFiles: readonly OutputFile[]): Promise<Pick<OutputFile, 'path' | 'contents'>> {
  const all = outputFiles.find(({ path }) => path.endsWith('.css'))
  if (!all) throw new Error('esbuild has written no stylesheet')
  const frame = await readFile(join(SOURCE, 'styles', 'reference.css'), 'utf8')
  const { code } = await transform(frame, { loader: 'css', minify: true })
  // What elements inherit begins at our parts, and not at the page.
  const ours = all.text.replace(SOURCE_MAP, '').replaceAll(':scope', `:is(${OWN_PARTS})`)
  const text = `@scope (body) to (${VENDOR_PARTS}){${ours}}${code}`
  const hash = createHash('sha256').update(text).digest('hex').slice(0, HASH_LENGTH)
  return { path: join(PUBLIC, 'assets', `reference-${hash}.css`), contents: Buffer.from(text) }
}

const SOURCE_MAP = /\/\*# sourceMappingURL=.*?\*\//
const HASH_LENGTH = 8

function listFiles({ outputs }: Metafile, reference: string, referenceStylesheet: string): BrowserFiles {
  const scripts: BrowserFiles['scripts'] = {}
  let stylesheet = ''
  for (const [path, { entryPoint, imports }] of Object.entries(outputs)) {
    if (!entryPoint) continue
    if (path.endsWith('.css')) stylesheet = urlOf(path)
    else {
      const chunks = imports.filter(({ kind }) => kind === 'import-statement').map((chunk) => urlOf(chunk.path))
      scripts[basename(entryPoint).replace(/\.tsx?$/, '')] = { url: urlOf(path), chunks }
    }
  }
  return { scripts, stylesheet, reference, referenceStylesheet }
}

/** @param path Absolute, or relative to the root of the project */
function urlOf(path: string): string {
  return `/${relative(PUBLIC, resolve(ROOT, path))}`
}

/** @returns Its URL */
async function copyReference(): Promise<string> {
  const { version }: VendoredSource = JSON.parse(await readFile(REFERENCE_SOURCE, 'utf8'))
  const folder = join('assets', `reference-${version}`)
  const name = basename(REFERENCE_COPY)
  await copyIfChanged(REFERENCE_COPY, join(PUBLIC, folder, name))
  return `/${folder}/${name}`
}

/**
 * Copies a file, unless there is a copy of the same size. To compare sizes is enough, because the path of the copy
 * contains the version.
 */
async function copyIfChanged(from: string, to: string): Promise<void> {
  const [source, copy] = await Promise.all([stat(from), stat(to).catch(() => undefined)])
  if (source.size === copy?.size) return
  await mkdir(dirname(to), { recursive: true })
  await replaceFile(to, (draft) => copyFile(from, draft))
}
