import './stop.ts'

// `npm start`. Everything else is loaded after `stop.ts`, so that a stop is handled during loading too.
await import('./serve.ts')
