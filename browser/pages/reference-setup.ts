// Runs before the bundle of the API reference. Keeps a library in it from testing whether it can run text as code,
// which the Content-Security-Policy of the page forbids.

Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
