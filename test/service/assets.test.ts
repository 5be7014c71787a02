import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { REFERENCE_COPY, REFERENCE_SOURCE, sha256Of, type VendoredSource } from '../../scripts/lib/vendored.ts'
import { BROWSER_FILES } from '../../src/design/browser-files.ts'
import { shareGalaxy } from './prepared-state.ts'

const galaxy = shareGalaxy()

it('serves the API reference as its package contains it', async () => {
  const { version, sha256 }: VendoredSource = JSON.parse(await readFile(REFERENCE_SOURCE, 'utf8'))
  expect(BROWSER_FILES.reference).toBe(`/assets/reference-${version}/standalone.js`)
  expect(sha256Of(await readFile(REFERENCE_COPY))).toBe(sha256)
  const served = await fetch(new URL(BROWSER_FILES.reference, galaxy.url))
  expect(sha256Of(await served.bytes())).toBe(sha256)
})
