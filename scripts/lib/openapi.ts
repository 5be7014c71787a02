import './tsx.ts'

// Everything else is loaded after `tsx.ts`, because the routes import pages.
await import('./write-openapi.ts')
