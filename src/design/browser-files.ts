import files from '../../dist/browser/files.json' with { type: 'json' }

/** The files that pages load, as the build lists them (scripts/lib/browser-files.ts). Their names contain hashes. */
export interface BrowserFiles {
  /** The scripts by the names of their files in `browser/pages`, and the shared chunks that each imports. */
  scripts: Record<string, { url: string; chunks: string[] }>
  stylesheet: string
  /** The bundle of the API reference. */
  reference: string
}

export const BROWSER_FILES: BrowserFiles = files
