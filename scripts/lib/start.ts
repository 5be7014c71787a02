import './stop.ts'

// `npm start`. All else is loaded after the line above, so that a stop is heard while it is.
await import('./serve.ts')
