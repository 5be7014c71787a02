// Runs before the bundle of the API reference, which contains zod. This setting keeps zod from testing whether it may
// run text as code. The Content-Security-Policy of the page forbids that, so a browser would report a violation.
// Without Web Crypto, the bundle would send a sign-in a code challenge that is no hash, which the service refuses.

import { provideWebCrypto } from '../lib/web-crypto.ts'

Object.assign(globalThis, { __zod_globalConfig: { jitless: true } })
provideWebCrypto()
