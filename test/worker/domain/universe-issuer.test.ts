import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAddressOf, makeUniverseId, universeHostUrl, universePath } from '../../../src/domain/universe-address.ts'
import { eachRow } from '../../support/each-row.ts'

const ID = 'abcdefghijklmnopqrstuvwx'
const OTHER = makeUniverseId()
const OPEN = { publicUrl: undefined, universeHost: undefined }
const BY_HOST = { publicUrl: undefined, universeHost: 'worlds.test' }
const PUBLIC = { publicUrl: 'https://galaxy.test', universeHost: 'worlds.test' }

describe('an address of a universe', () => {
  it('is recognized', () =>
    eachRow(
      [
        [`https://galaxy.test/u/${ID}`, OPEN],
        [`http://localhost:8787/u/${ID}`, OPEN],
        [`https://galaxy.test/u/${ID}`, BY_HOST],
        [`https://${ID}.worlds.test`, BY_HOST],
        [`http://${ID}.worlds.test`, BY_HOST],
        [`http://${ID}.worlds.test:8787`, { ...BY_HOST, universeHost: 'worlds.test:8787' }],
        [`https://galaxy.test/u/${ID}`, PUBLIC],
        [`https://${ID}.worlds.test`, PUBLIC],
      ],
      ([baseUrl, config]) => {
        expect(isAddressOf(ID, baseUrl, config)).toBe(true)
        expect(isAddressOf(OTHER, baseUrl, config)).toBe(false)
      },
    ))

  it('is no other address', () =>
    eachRow(
      [
        ['https://galaxy.test', PUBLIC],
        ['https://worlds.test', PUBLIC],
        ['', PUBLIC],
        [ID, PUBLIC],
        [`/u/${ID}`, PUBLIC],
        [`https://galaxy.test/u/${ID}/`, PUBLIC],
        [`https://galaxy.test/u/${ID}?`, PUBLIC],
        [`https://galaxy.test/u/${ID}#`, PUBLIC],
        [`https://galaxy.test/u/${ID}/planets`, PUBLIC],
        [`https://galaxy.test//u/${ID}`, PUBLIC],
        [`https://galaxy.test/./u/${ID}`, PUBLIC],
        [`https://GALAXY.test/u/${ID}`, PUBLIC],
        [`https://galaxy.test:443/u/${ID}`, PUBLIC],
        [`https://user@galaxy.test/u/${ID}`, PUBLIC],
        [`https://galaxy.test/u/${ID.toUpperCase()}`, PUBLIC],
        [`https://galaxy.test/u/${ID}a`, PUBLIC],
        [`https://galaxy.test/.well-known/oauth-authorization-server/u/${ID}`, PUBLIC],
        [`http://galaxy.test/u/${ID}`, PUBLIC],
        [`https://else.test/u/${ID}`, PUBLIC],
        [`https://${ID}.worlds.test/`, PUBLIC],
        [`https://${ID}.worlds.test/u/${ID}`, PUBLIC],
        [`https://${OTHER}.worlds.test/u/${ID}`, PUBLIC],
        [`https://${ID.toUpperCase()}.worlds.test`, PUBLIC],
        [`https://a.${ID}.worlds.test`, PUBLIC],
        [`https://${ID}.worlds.test:8787`, PUBLIC],
        [`https://${ID}.galaxy.test`, PUBLIC],
        [`https://${ID}.worlds.test`, OPEN],
      ],
      ([baseUrl, config]) => {
        expect(isAddressOf(ID, baseUrl, config)).toBe(false)
      },
    ))

  it('is what the service makes for it, whatever the port', () => {
    const parts = fc.record({
      scheme: fc.constantFrom('http', 'https'),
      port: fc.constantFrom('', ':80', ':443', ':8787'),
    })
    fc.assert(
      fc.property(parts, ({ scheme, port }) => {
        const { origin } = new URL(`${scheme}://galaxy.test${port}`)
        const config = { publicUrl: origin, universeHost: `worlds.test${port}` }
        const [id, other] = [makeUniverseId(), makeUniverseId()]
        for (const baseUrl of [origin + universePath(id), universeHostUrl(id, config.universeHost, origin)]) {
          expect(isAddressOf(id, baseUrl, config)).toBe(true)
          expect(isAddressOf(other, baseUrl, config)).toBe(false)
        }
        expect(isAddressOf(id, origin, config)).toBe(false)
      }),
    )
  })
})
