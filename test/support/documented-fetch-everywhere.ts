import { documentedFetch } from './documented-fetch.ts'

// For processes of their own: `node --import` it, and whatever they fetch is held against the document.
globalThis.fetch = documentedFetch
