import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findUniverse, makeUniverseId, universeHostUrl, universePath } from '../../../src/domain/universe-address.ts'
import { eachRow } from '../../support/each-row.ts'
import { spellName } from '../../support/private-targets.ts'

// Which URLs are those of a universe, by path and by host.

const ID = 'abcdefghijklmnopqrstuv27'
const OTHER_ID = '234567abcdefghijklmnopqr'
const DOMAIN = 'worlds.example'

const find = (url: string, universeHost: string | undefined = DOMAIN, commonUrls?: string[]) =>
  findUniverse(new URL(url), universeHost, commonUrls)

/** Texts that look like an id and are none. */
const MALFORMED_IDS = [
  ...['', 'a', ID.slice(1), `${ID}a`, ID.toUpperCase(), ID.replace('a', 'A'), ID.replace('a', '0')],
  ...[ID.replace('2', '1'), ID.replace('7', '8'), ID.replace('a', '_'), ID.replace('a', '-')],
]

const universeId = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz234567'),
  minLength: 24,
  maxLength: 24,
})

describe('an id', () => {
  it('has 24 characters of base32, is different each time, and uses the whole alphabet', () => {
    const ids = Array.from({ length: 1000 }, makeUniverseId)
    expect(ids.every((id) => /^[a-z2-7]{24}$/.test(id))).toBe(true)
    expect(new Set(ids).size).toBe(1000)
    expect([...new Set(ids.join(''))].sort().join('')).toBe('234567abcdefghijklmnopqrstuvwxyz')
  })
})

describe('by path', () => {
  it('every path below that of a universe is in it', () =>
    eachRow(
      [
        [`/u/${ID}`, '/'],
        [`/u/${ID}/`, '/'],
        [`/u/${ID}?a=/b`, '/'],
        [`/u/${ID}#/b`, '/'],
        [`/u/${ID}/planets/1`, '/planets/1'],
        [`/u/${ID}//planets`, '//planets'],
        [`/u/${ID}/%2e%2e/planets`, undefined],
        [`/u/${ID}/a/../planets`, '/planets'],
        [`/a/../u/${ID}/planets`, '/planets'],
        [`/u/${ID}/a%2fb`, '/a%2fb'],
        [`/u/${ID}/u/${OTHER_ID}/planets`, `/u/${OTHER_ID}/planets`],
        [`\\u\\${ID}\\planets`, '/planets'],
      ],
      ([path, inner]) => {
        for (const universeHost of [undefined, DOMAIN]) {
          for (const origin of ['https://galaxy.example', 'http://localhost:8787', 'https://worlds.example']) {
            const expected = inner === undefined ? undefined : { id: ID, basePath: `/u/${ID}`, path: inner }
            expect(find(origin + path, universeHost)).toEqual(expected)
          }
        }
      },
    ))

  it('every other path is in the common world', () =>
    eachRow(
      [
        ...MALFORMED_IDS.flatMap((id) => [`/u/${id}`, `/u/${id}/planets`]),
        ...['/', '/u', '/u/', `/U/${ID}`, `//u/${ID}`, `/u//${ID}`, `/v1/u/${ID}`, `/universes/${ID}`, `/${ID}`],
        ...[`/u/${ID}%2fplanets`, `/u/${ID}.json`, `/u/${ID};a`, `/u%2f${ID}`, `/%75/${ID}`, `/u/%61${ID.slice(1)}`],
        ...[`/planets?/u/${ID}`, `/planets#/u/${ID}`, `/u/${ID}%0a/planets`],
      ],
      (path) => {
        expect(find(`https://galaxy.example${path}`)).toBeUndefined()
      },
    ))
})

describe('the metadata of an issuer with a path, which RFC 8414 and RFC 9728 put at the origin,', () => {
  it('is that of the universe', () =>
    eachRow(['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource'], (path) => {
      expect(find(`https://galaxy.example${path}/u/${ID}`)).toEqual({ id: ID, basePath: `/u/${ID}`, path })
      expect(find(`https://galaxy.example${path}`)).toBeUndefined()
      for (const end of [`/u/${ID}/`, `/u/${ID}/a`, `/U/${ID}`, `/u/${ID.toUpperCase()}`, `/${ID}`, `//u/${ID}`]) {
        expect(find(`https://galaxy.example${path}${end}`)).toBeUndefined()
      }
      for (const id of MALFORMED_IDS) expect(find(`https://galaxy.example${path}/u/${id}`)).toBeUndefined()
      // A universe that has the whole host has them where every service has them.
      expect(find(`https://${ID}.${DOMAIN}${path}`)).toEqual({ id: ID, basePath: '', path })
      expect(find(`https://${ID}.${DOMAIN}${path}/u/${OTHER_ID}`)).toMatchObject({ id: ID, basePath: '' })
    }))

  it('but no other', () =>
    eachRow(
      ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/well-known/oauth-protected-resource'],
      (path) => expect(find(`https://galaxy.example${path}/u/${ID}`)).toBeUndefined(),
    ))
})

describe('by host', () => {
  it('the host with an id is a universe', () =>
    eachRow(
      [
        [DOMAIN, `https://${ID}.${DOMAIN}`],
        [DOMAIN, `http://${ID}.${DOMAIN}`],
        [DOMAIN, `https://${ID.toUpperCase()}.WORLDS.Example`],
        [DOMAIN, `https://${ID}.${DOMAIN}.`],
        [DOMAIN, `https://${ID}.${DOMAIN}:443`],
        [DOMAIN, `http://${ID}.${DOMAIN}:443`],
        [DOMAIN, `https://${ID}.${DOMAIN}:8443`],
        [DOMAIN, `https://%61${ID.slice(1)}.worlds。example`],
        [`${DOMAIN}.`, `https://${ID}.${DOMAIN}`],
        ['Worlds.Example', `https://${ID}.${DOMAIN}`],
        ['localhost:8787', `http://${ID}.localhost:8787`],
        ['worlds.example:8787', `http://${ID}.worlds.example:8787`],
      ],
      ([universeHost, origin]) => {
        expect(find(`${origin}/planets/1?a`, universeHost)).toEqual({ id: ID, basePath: '', path: '/planets/1' })
        expect(find(`${origin}/u/${OTHER_ID}/planets`, universeHost)).toEqual({
          id: ID,
          basePath: '',
          path: `/u/${OTHER_ID}/planets`,
        })
      },
    ))

  it('a malformed id is no world', () =>
    eachRow(
      [
        ...MALFORMED_IDS.filter((id) => id !== '' && id.toLowerCase() !== ID).map((id) => `https://${id}.${DOMAIN}`),
        ...[`https://a.${ID}.${DOMAIN}`, `https://${ID}.a.${DOMAIN}`, `https://${ID}.${OTHER_ID}.${DOMAIN}`],
        ...[`https://www.${DOMAIN}`, `https://xn--a.${DOMAIN}`, `https://-.${DOMAIN}`, `https://.${DOMAIN}`],
        ...[`https://www.${DOMAIN}:8443`, `https://www.${DOMAIN}.`],
      ],
      (origin) => {
        expect(find(`${origin}/planets`)).toBe('no-universe')
        expect(find(`${origin}/u/${ID}/planets`)).toBe('no-universe')
      },
    ))

  it('every other host is not', () =>
    eachRow(
      [
        [DOMAIN, `https://${DOMAIN}`],
        [DOMAIN, `https://${ID}${DOMAIN}`],
        [DOMAIN, `https://${ID}.x${DOMAIN}`],
        [DOMAIN, `https://${ID}.${DOMAIN}.com`],
        [DOMAIN, `https://${ID}.example`],
        [DOMAIN, 'https://galaxy.example'],
        ['localhost:8787', `http://${ID}.localhost:8788`],
        ['localhost:8787', `http://${ID}.localhost`],
        ['localhost', `http://${ID}.localhost:8787`],
        ['worlds.example:8787', `http://${ID}.worlds.example`],
        [undefined, `https://${ID}.${DOMAIN}`],
      ],
      ([universeHost, origin]) => {
        expect(findUniverse(new URL(`${origin}/planets`), universeHost)).toBeUndefined()
      },
    ))

  it('a host that the configuration gives to the common world belongs to it', () => {
    const common = ['https://www.worlds.example', 'http://echo.worlds.example']
    for (const origin of [
      'https://www.worlds.example',
      'http://WWW.worlds.example.:443',
      'https://echo.worlds.example',
    ]) {
      expect(find(`${origin}/planets`, DOMAIN, common)).toBeUndefined()
      expect(find(`${origin}/u/${ID}/planets`, DOMAIN, common)).toMatchObject({
        basePath: `/u/${ID}`,
        path: '/planets',
      })
    }
    expect(find('https://a.worlds.example/', DOMAIN, common)).toBe('no-universe')
    // Not even the configuration can take the host of a universe.
    expect(find(`https://${ID}.worlds.example/`, DOMAIN, [`https://${ID}.worlds.example`])).toMatchObject({ id: ID })
  })
})

describe('of random URLs', () => {
  const path = fc
    .array(fc.constantFrom('planets', 'u', ID, '%2f', '', 'a.b', 'é'))
    .map((parts) => `/${parts.join('/')}`)

  it('both addresses of a universe lead to the same path of it, however its host is written', () => {
    const spelled = universeId.chain((id) => fc.tuple(fc.constant(id), spellName(`${id}.${DOMAIN}`)))
    fc.assert(
      fc.property(spelled, path, ([id, host], inner) => {
        const byHost = find(`https://${host}${inner}`)
        const byPath = find(`https://galaxy.example${universePath(id)}${inner}`)
        const { pathname } = new URL(`https://galaxy.example${inner}`)
        expect(byHost).toEqual({ id, basePath: '', path: pathname })
        expect(byPath).toEqual({ id, basePath: universePath(id), path: pathname })
      }),
      { numRuns: 1000 },
    )
  })

  it('the address by host that the service shows is that of the universe', () => {
    const domain = fc.constantFrom(DOMAIN, 'localhost:8787', 'worlds.example:8443')
    const base = fc.constantFrom('https://galaxy.example', `http://localhost:8787/u/${OTHER_ID}`)
    fc.assert(
      fc.property(universeId, domain, base, (id, universeHost, baseUrl) => {
        const url = universeHostUrl(id, universeHost, baseUrl)
        expect(new URL(url).protocol).toBe(new URL(baseUrl).protocol)
        expect(find(url, universeHost)).toEqual({ id, basePath: '', path: '/' })
      }),
    )
  })

  it('only a label that is an id leads to a world', () => {
    const label = fc.oneof(universeId, fc.stringMatching(/^[a-z0-9]{20,28}$/), fc.constantFrom(...MALFORMED_IDS))
    const isId = (text: string) => /^[a-z2-7]{24}$/.test(text)
    fc.assert(
      fc.property(label, (text) => {
        const byPath = find(`https://galaxy.example/u/${text}/planets`)
        expect(byPath !== undefined).toBe(isId(text))
        if (!URL.canParse(`https://${text}.${DOMAIN}/planets`)) return
        expect(find(`https://${text}.${DOMAIN}/planets`) !== 'no-universe').toBe(isId(text.toLowerCase()))
      }),
      { numRuns: 1000 },
    )
  })
})
