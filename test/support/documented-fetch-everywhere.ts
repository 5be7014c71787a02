import { documentedFetch } from './documented-fetch.ts'

// If a process is started with `node --import` and this file, every response that it fetches is compared with the
// OpenAPI document.
globalThis.fetch = documentedFetch
