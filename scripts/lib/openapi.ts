import { buildBrowser } from './browser-files.ts'
import './tsx.ts'

// The routes import pages, and pages the list of the files that they load. So everything else is loaded after this.
await buildBrowser()
await import('./write-openapi.ts')
