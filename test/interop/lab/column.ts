import type { DocumentName, ShownLanguage } from '../../../laboratory/scoreboard/results.ts'
import type { Command, LanguageName } from '../languages.ts'

/** The cases that a generator, or the compiler of what it made, cannot do, and what it says. */
export interface Stop {
  /** Ids, or `group/*`. */
  cases: readonly string[]
  message: string
}

/** A client that the scoreboard judges. */
export interface Column {
  /** On the scoreboard, and of its folder `test/interop/<folder>/build/lab/<name>`: small letters, digits, hyphens. */
  name: string
  language: ShownLanguage
  /** Whose packages it needs (languages.ts). */
  folder: LanguageName
  /** The tool as its makers call it. */
  tool: string
  /** Its version, from the lock file or the manifest of the folder. */
  version: () => string | Promise<string>
  /** The document of the bench that it reads. */
  document: DocumentName
  /** Left out of the document, because the generator or its compiler stops at them. */
  stops: readonly Stop[]
  /** What the tool leaves to its user: ids or `group/*`, and the reason. The driver does not call them. */
  skip: Readonly<Record<string, string>>
  /**
   * Cases in which it sends something else in each run, because it goes through a map without order, or prints an address.
   * The scoreboard keeps the request that it has, as long as the verdict is the same.
   */
  unsteady?: readonly string[]
  /** The cells that change if each `explode` of the document is the opposite. Written by hand, from the styles. */
  opposite: readonly string[]
  /** Those of them at which the generator stops then. */
  oppositeStops?: readonly string[]
  /** Writes and compiles the client with its driver in the empty folder `output`. `document` is a file. */
  build: (document: string, output: string) => Promise<unknown>
  /**
   * The command that calls every case once. It gets `LAB_URL`, the base URL for the client, and `LAB_SKIP`, which lists
   * ids and `group/*` with commas.
   */
  command: (output: string) => { command: Command; cwd: string; env?: NodeJS.ProcessEnv }
}
