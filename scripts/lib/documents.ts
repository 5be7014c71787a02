import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Documents from '../../documents/documents.ts'
import { digestSources, exists, removeOld, writeIfChanged } from './built-files.ts'
import { completeDocumentFile } from './complete-documents.ts'
import { ROOT } from './root.ts'
import { readScoreboard } from './scoreboard.ts'
import { bundleForWorker } from './worker-bundle.ts'

/** The folder of the documents. The Worker reads them there (src/features/documents/files.ts). */
const FOLDER = join(ROOT, 'dist', 'browser', 'public', 'documents')

/** The folder of the files about the cases of the laboratory (src/features/lab/case-files.ts). */
const LABORATORY = join(FOLDER, 'lab')

/** The code that writes them, as a bundle, because Node takes a second to load it file by file. */
const WRITER = join(ROOT, 'dist', 'documents', 'writer.mjs')
/** The file with the digests of the sources of the present documents. */
const STAMP = join(ROOT, 'dist', 'documents', 'made-from.json')

/** The folder of the guides (src/site/guides/files.ts). */
const GUIDES = join(FOLDER, 'guides')

/** The folder of the guides as Markdown. */
const GUIDE_SOURCES = 'docs'
/** Explains the laboratory. Its page shows the programs of it. */
const LABORATORY_GUIDE = 'lab'

/** The sources of a document in YAML, besides the document itself. */
const YAML_SOURCES = ['package-lock.json', 'documents/openapi/write-yaml.ts', 'scripts/lib/documents.ts']
const SOURCES = ['src', 'documents', 'laboratory', GUIDE_SOURCES, ...YAML_SOURCES]

/** Digests of the sources. */
interface MadeFrom {
  all: string
  yaml: string
}

/** Writes the documents about the service (documents/documents.ts), if their sources have changed. */
export async function buildDocuments(): Promise<void> {
  const sources = { all: await digestSources(SOURCES), yaml: await digestSources(YAML_SOURCES) }
  const known = await readStamp()
  if (known?.all === sources.all) return
  const writer = await loadWriter(sources)
  const hasSameYamlSources = known?.yaml === sources.yaml
  const names = await Promise.all(
    writer.describeAll().map((described) => writeFiles(described, writer, hasSameYamlSources)),
  )
  const scoreboard = await readScoreboard()
  const pagesOfDocs = await readPagesOfDocs()
  const caseFiles = [
    ...writer.describeLaboratory(),
    writer.describeLaboratoryPage(pagesOfDocs.get(LABORATORY_GUIDE) ?? '', scoreboard),
    ...writer.describeScoreboard(scoreboard),
  ]
  for (const { name, text } of caseFiles) await writeIfChanged(join(LABORATORY, name), Buffer.from(text))
  const pages = writer.describePages()
  for (const { name, text } of pages) await writeIfChanged(join(FOLDER, name), Buffer.from(text))
  const guides = writer.describeAllGuides(pagesOfDocs)
  for (const { name, text } of guides) await writeIfChanged(join(GUIDES, name), Buffer.from(text))
  await removeOld(FOLDER, [...names.flat(), ...pages.map(({ name }) => name), basename(LABORATORY), basename(GUIDES)])
  await removeOld(
    GUIDES,
    guides.map(({ name }) => name),
  )
  await removeOld(
    LABORATORY,
    caseFiles.map(({ name }) => name),
  )
  for (const { world, document } of writer.describeAllCompletely()) {
    await writeIfChanged(completeDocumentFile(world), Buffer.from(writer.writeDocument(document, 'json')))
  }
  await writeIfChanged(STAMP, Buffer.from(JSON.stringify(sources)))
}

/** The pages of docs/ as Markdown, by name without extension. */
async function readPagesOfDocs(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(join(ROOT, GUIDE_SOURCES))).filter((name) => name.endsWith('.md'))
  return new Map(
    await Promise.all(
      names.map(async (name) => {
        const text = await readFile(join(ROOT, GUIDE_SOURCES, name), 'utf8')
        return [basename(name, '.md'), text] as const
      }),
    ),
  )
}

export async function readBuiltDocument(name: string): Promise<string> {
  return await readFile(join(FOLDER, name), 'utf8')
}

/** The digests of the sources of the present documents; undefined if there are none. */
async function readStamp(): Promise<MadeFrom | undefined> {
  return (await exists(STAMP)) && (await exists(FOLDER)) && (await exists(completeDocumentFile('common')))
    ? JSON.parse(await readFile(STAMP, 'utf8'))
    : undefined
}

/** Loads the current documents/documents.ts, even if this process has loaded an earlier version. */
async function loadWriter({ all }: MadeFrom): Promise<typeof Documents> {
  const { outputFiles } = await bundleForWorker(join(ROOT, 'documents', 'documents.ts'))
  // There is one file, because a bundle with one entry is not split.
  for (const { contents } of outputFiles) await writeIfChanged(WRITER, contents)
  return await import(`${pathToFileURL(WRITER)}?${all}`)
}

/**
 * The file in YAML is not written again if the document is unchanged, because that takes longer than everything else.
 *
 * @returns Their names
 */
async function writeFiles(
  { documentIn, nameIn }: Documents.DescribedDocument,
  { writeDocument }: typeof Documents,
  hasSameYamlSources: boolean,
): Promise<string[]> {
  const [json, yaml] = [nameIn('json'), nameIn('yaml')]
  const text = writeDocument(documentIn('json'), 'json')
  const isSame = hasSameYamlSources && (await readBuiltDocument(json).catch(() => undefined)) === text
  if (!isSame || !(await exists(join(FOLDER, yaml)))) {
    // YAML comes first: if a build is interrupted, the old JSON tells the next one to write the YAML again.
    await writeIfChanged(join(FOLDER, yaml), Buffer.from(writeDocument(documentIn('yaml'), 'yaml')))
    await writeIfChanged(join(FOLDER, json), Buffer.from(text))
  }
  return [json, yaml]
}
