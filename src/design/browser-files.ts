import files from '../../dist/browser/files.json' with { type: 'json' }

/** The files that pages load, as the build lists them (scripts/lib/browser-files.ts). Their names contain hashes. */
export interface BrowserFiles {
  /** The scripts by the names of their files in `browser/pages`, and the shared chunks that each imports. */
  scripts: Record<string, { url: string; chunks: string[] }>
  /** The URL of the stylesheet of all pages. */
  stylesheet: string
  /** The URL of the bundle of the API reference. */
  reference: string
  /** The URL of the stylesheet of its page, whose rules reach only our parts of the page. */
  referenceStylesheet: string
}

/** The URLs of the files that this build wrote. */
export const BROWSER_FILES: BrowserFiles = files
