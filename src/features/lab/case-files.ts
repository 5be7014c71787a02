import { CASE_FILES, caseFile, clientFile, type Laboratory, type RuleTexts } from '../../../laboratory/files.ts'
import { findBuiltFile, readBuiltFile } from '../../lib/built-file.ts'

/** The folder of the files about the cases among those that the Worker can read. Clients cannot read it. */
const FOLDER = '/documents/lab'

/** @throws What `readBuiltFile` throws */
export async function readCaseFile(assets: Fetcher, file: keyof typeof CASE_FILES): Promise<string> {
  return await readBuiltFile(assets, `${FOLDER}/${CASE_FILES[file]}`)
}

/**
 * Reads the content of the page about a client of the scoreboard.
 *
 * @returns Undefined if there is no such client
 * @throws What `findBuiltFile` throws
 */
export async function findClientPage(assets: Fetcher, name: string): Promise<string | undefined> {
  return await findBuiltFile(assets, `${FOLDER}/${clientFile(name)}`)
}

/**
 * Reads a case as JSON, or the content of its page.
 *
 * @returns Undefined if there is no such case
 * @throws What `findBuiltFile` throws
 */
export async function findCase(assets: Fetcher, id: string, kind: 'json' | 'txt'): Promise<string | undefined> {
  return await findBuiltFile(assets, `${FOLDER}/${caseFile(id, kind)}`)
}

/** Reads what decides each case. @throws What `readBuiltFile` throws */
export async function readRules(assets: Fetcher): Promise<RuleTexts> {
  return JSON.parse(await readCaseFile(assets, 'rules'))
}

/** What was read, by the binding that it was read from, because parsing it takes longer than judging a request. */
const READ = new WeakMap<Fetcher, Laboratory>()

/**
 * Reads all cases that are judged, once. Concurrent requests may all read them, because the runtime does not let a
 * request wait for the work of another.
 *
 * @throws What `readBuiltFile` throws. The next call tries again
 */
export async function readLaboratory(assets: Fetcher): Promise<Laboratory> {
  const read = READ.get(assets)
  if (read) return read
  const laboratory: Laboratory = JSON.parse(await readCaseFile(assets, 'judged'))
  READ.set(assets, laboratory)
  return laboratory
}
