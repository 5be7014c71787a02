import { documentedFetch } from './documented-fetch.ts'

// For other processes: with `node --import`, everything that they fetch is compared with the document.
globalThis.fetch = documentedFetch
