import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTargetFault, type GuardRules, guardRulesOf, ownTargetOf } from '../../../src/domain/url-guard.ts'
import { eachRow } from '../../support/each-row.ts'
import { LOOPBACK_SPELLINGS, spellName, spellTarget } from '../../support/private-targets.ts'

// What the service may call of its own worlds: their echo and their inboxes, and nothing else of its hosts.

const OWN = 'https://galaxy.example'
const DOMAIN = 'worlds.example'
const ID = 'abcdefghijklmnopqrstuv27'
const OTHER_ID = '234567abcdefghijklmnopqr'
const AT_HOST = `https://${ID}.${DOMAIN}`

const CONFIG = {
  publicUrl: OWN,
  universeHost: DOMAIN,
  ownAddresses: [],
  closedHosts: ['images.example'],
  echoHost: undefined,
  allowsPrivateTargets: false,
}
const DEPLOYED: GuardRules = { allowsPrivate: false, ownOrigins: [OWN], universeHost: DOMAIN }
/** Without a wildcard domain. */
const BY_PATH: GuardRules = { allowsPrivate: false, ownOrigins: [OWN] }
const AT_HOME: GuardRules = {
  allowsPrivate: true,
  ownOrigins: ['http://localhost:8787'],
  universeHost: 'localhost:8787',
}

const OWN_PLACE = 'must not lead to this service, except to its paths /echo and /inboxes/{id}/'
const NOT_PUBLIC = 'must lead to a public address'
const NO_URL = 'must be an absolute http or https URL'

/** The addresses of a universe, each with the rules of a deployment that has it. */
const ADDRESSES: [baseUrl: string, rules: GuardRules][] = [
  [`${OWN}/u/${ID}`, BY_PATH],
  [`${OWN}/u/${ID}`, DEPLOYED],
  [`http://GALAXY.example.:8443/u/${ID}`, DEPLOYED],
  [`https://${DOMAIN}/u/${ID}`, DEPLOYED],
  [AT_HOST, DEPLOYED],
  [`http://${ID.toUpperCase()}.WORLDS.example.:443`, DEPLOYED],
  [`https://${ID}.worlds。example:8443`, DEPLOYED],
  [`http://localhost:8787/u/${ID}`, AT_HOME],
  [`http://127.1:8787/u/${ID}`, AT_HOME],
  [`http://[::1]:8787/u/${ID}`, AT_HOME],
  [`http://${ID}.localhost:8787`, AT_HOME],
]

/** Paths of a world that nobody may call. */
const CLOSED_PATHS = [
  ...['', '/', '?/echo', '#/echo', '/planets', '/universe', '/universe/reset', '/oauth/token', '/auth/token'],
  ...['/Echo', '/echoes', '/echo.json', '//echo', '/me/echo', '/%65cho', '/echo%2fplanets', '/echo/..%2fplanets'],
  ...['/echo/../planets', '/echo/%2e%2e/planets', '/echo/%252e%252e/planets', '/echo/..%5cplanets', '\\planets'],
  ...['/inboxes', '/inboxes/', '/inboxes/a', '/inboxes/a?/', '/inboxes//a', '/INBOXES/a/', '/inboxes/%61/'],
  ...['/inboxes/a/..', '/inboxes/a/../../planets', '/inboxes/a/..%2f..%2fplanets', '/inboxes/a%2fb/c'],
  ...['/inboxes/a/%252e%252e/%252e%252e/planets', '/inboxes/a/../../../../planets', '/inboxes/%2e%2e%2fplanets/'],
  ...['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration', '/.well-known/jwks.json'],
  // No world has worlds of its own.
  ...[`/u/${OTHER_ID}`, `/u/${OTHER_ID}/echo`, `/u/${OTHER_ID}/inboxes/a/b`],
]

describe.each(ADDRESSES)('of the universe at %s', (baseUrl, rules) => {
  it('its inboxes can be called', () =>
    eachRow(
      ['/inboxes/a/', '/inboxes/a/b?c=/..', '/inboxes/3f9-Xa_Z/callbacks', '/inboxes/a/../b/', '/inboxes/a//b'],
      (path) => {
        expect(findTargetFault(baseUrl + path, rules)).toBeUndefined()
        expect(ownTargetOf(baseUrl + path, rules)).toEqual({
          universeId: ID,
          path: new URL(OWN + path).pathname,
        })
      },
    ))

  it('its echo can be called', () =>
    eachRow(['/echo', '/echo/503?delay=1', '/echo/a/../b', '/echo/gr%C3%B6%C3%9Fe', '\\echo\\a'], (path) => {
      expect(findTargetFault(baseUrl + path, rules)).toBeUndefined()
      expect(ownTargetOf(baseUrl + path, rules)?.universeId).toBe(ID)
    }))

  it('nothing else of it can be called', () =>
    eachRow(CLOSED_PATHS, (path) => {
      expect(findTargetFault(baseUrl + path, rules)).toBe(OWN_PLACE)
    }))

  it('nothing is called with credentials in the URL', () => {
    const url = baseUrl.replace('//', '//a:b@')
    expect(findTargetFault(`${url}/echo`, rules)).toContain('must not contain a user name')
  })
})

describe('a path that only looks like that of a universe is a path of the common world', () => {
  it('with a case, a length or a sign that no id has', () =>
    eachRow(
      [
        ...[`/u/${ID.toUpperCase()}`, `/U/${ID}`, `/u/${ID.slice(1)}`, `/u/${ID}a`, `/u/${ID.replace('a', '0')}`],
        ...[`//u/${ID}`, `/u//${ID}`, `/v1/u/${ID}`, `/u/%61${ID.slice(1)}`, `/%75/${ID}`, `/u/${ID};a`, `/u/${ID}.`],
        ...[`/u/${ID}%2f`, `/u/${ID}%2f..`, `/u%2f${ID}`, '/u', '/u/', `/u/${ID}/..`, `/u/${ID}/../planets`],
        ...['/.well-known/oauth-authorization-server/u', '/.well-known/oauth-protected-resource/u/%61'],
      ],
      (prefix) => {
        for (const end of ['/echo', '/inboxes/a/b', '/planets']) {
          for (const rules of [BY_PATH, DEPLOYED])
            expect(findTargetFault(`${OWN}${prefix}${end}`, rules)).toBe(OWN_PLACE)
          expect(ownTargetOf(`${OWN}${prefix}${end}`, DEPLOYED)?.universeId).toBeUndefined()
        }
      },
    ))

  it('but the path of a universe that is folded to the common world may be called there', () => {
    const url = `${OWN}/u/${ID}/../../inboxes/a/b`
    expect(findTargetFault(url, DEPLOYED)).toBeUndefined()
    expect(ownTargetOf(url, DEPLOYED)).toEqual({ universeId: undefined, path: '/inboxes/a/b' })
  })

  it('the metadata of an issuer cannot be called', () =>
    eachRow(['oauth-authorization-server', 'oauth-protected-resource'], (name) => {
      for (const url of [`${OWN}/.well-known/${name}/u/${ID}`, `https://${DOMAIN}/.well-known/${name}/u/${ID}`]) {
        expect(findTargetFault(url, DEPLOYED)).toBe(OWN_PLACE)
        expect(findTargetFault(`${url}/inboxes/a/b`, DEPLOYED)).toBe(OWN_PLACE)
        expect(findTargetFault(`${url}/../../../echo`, DEPLOYED)).toBe(OWN_PLACE)
      }
    }))
})

describe('nothing below the wildcard domain can be called but universes', () => {
  it('a host without an id, or with more before it', () =>
    eachRow(
      [
        ...[`a.${DOMAIN}`, `www.${DOMAIN}`, `${ID.slice(1)}.${DOMAIN}`, `${ID}a.${DOMAIN}`, `u.${DOMAIN}`],
        ...[
          `a.${ID}.${DOMAIN}`,
          `${ID}.a.${DOMAIN}`,
          `${ID}.${OTHER_ID}.${DOMAIN}`,
          `${ID.replace('a', '1')}.${DOMAIN}`,
        ],
        ...[`www.${DOMAIN}.`, `WWW.Worlds.Example`, `www.${DOMAIN}:8443`, `echo.${DOMAIN}`, `xn--a-0ga.${DOMAIN}`],
      ],
      (host) => {
        for (const path of ['', '/planets', '/echo', '/inboxes/a/b', `/u/${ID}/echo`, `/u/${ID}/inboxes/a/b`]) {
          expect(findTargetFault(`https://${host}${path}`, DEPLOYED)).toBe(OWN_PLACE)
          expect(findTargetFault(`http://${host}${path}`, { ...DEPLOYED, allowsPrivate: true, ownOrigins: [] })).toBe(
            OWN_PLACE,
          )
          expect(ownTargetOf(`https://${host}${path}`, DEPLOYED)).toBeUndefined()
        }
      },
    ))

  it('the domain itself is the common world, even if no request came by it', () => {
    for (const url of [`https://${DOMAIN}`, `http://${DOMAIN}.:8443`, `http://WORLDS.example:443`]) {
      expect(findTargetFault(`${url}/planets`, { ...DEPLOYED, ownOrigins: [AT_HOST] })).toBe(OWN_PLACE)
      expect(findTargetFault(`${url}/inboxes/a/b`, { ...DEPLOYED, ownOrigins: [AT_HOST] })).toBeUndefined()
      expect(ownTargetOf(`${url}/a`, { ...DEPLOYED, ownOrigins: [] })).toEqual({ universeId: undefined, path: '/a' })
    }
  })

  it('a host of the service that the configuration names is itself', () => {
    const rules = { ...DEPLOYED, ownOrigins: ['https://www.worlds.example'] }
    expect(findTargetFault('https://www.worlds.example/planets', rules)).toBe(OWN_PLACE)
    expect(findTargetFault('https://www.worlds.example/inboxes/a/b', rules)).toBeUndefined()
    expect(ownTargetOf(`http://WWW.worlds.example./u/${ID}/echo`, rules)).toEqual({ universeId: ID, path: '/echo' })
    expect(findTargetFault('https://other.worlds.example/inboxes/a/b', rules)).toBe(OWN_PLACE)
    const echo = { ...DEPLOYED, echoHost: 'echo.worlds.example' }
    expect(findTargetFault('https://echo.worlds.example/planets', echo)).toBeUndefined()
  })

  it('others are not mistaken for them', () =>
    eachRow(
      [
        ...[`https://x${DOMAIN}/planets`, `https://${DOMAIN}.com/planets`, `https://${ID}.${DOMAIN}.com/planets`],
        ...[`https://${ID}.example/planets`, `https://other.example/u/${ID}/planets`, `https://${ID}${DOMAIN}/`],
        ...[`https://receiver.example/?https://${ID}.${DOMAIN}/planets`, `https://receiver.example/u/${ID}/echo`],
      ],
      (url) => {
        expect(findTargetFault(url, DEPLOYED)).toBeUndefined()
        expect(ownTargetOf(url, DEPLOYED)).toBeUndefined()
      },
    ))

  it('a host with an empty label is none', () =>
    eachRow(
      [`http://..${DOMAIN}/echo`, `http://${ID}..${DOMAIN}/echo`, `http://${ID}.${DOMAIN}../inboxes/a/b`],
      (url) => expect(findTargetFault(url, DEPLOYED)).toBe(NO_URL),
    ))
})

describe('a world of a service with a private name', () => {
  const atPrivate = { allowsPrivate: false, ownOrigins: ['http://localhost:8787'], universeHost: 'localhost:8787' }

  it('has inboxes, and an echo that is as private as the service', () =>
    eachRow(
      [`http://localhost:8787/u/${ID}`, `http://${ID}.localhost:8787`, `http://127.0.0.1:8787/u/${ID}`],
      (baseUrl) => {
        expect(findTargetFault(`${baseUrl}/inboxes/a/b`, atPrivate)).toBeUndefined()
        expect(findTargetFault(`${baseUrl}/echo`, atPrivate)).toBe(NOT_PUBLIC)
        expect(findTargetFault(`${baseUrl}/echo`, { ...atPrivate, allowsPrivate: true })).toBeUndefined()
        expect(findTargetFault(`${baseUrl}/planets`, { ...atPrivate, allowsPrivate: true })).toBe(OWN_PLACE)
      },
    ))

  it('is recognized in every spelling of this machine', () =>
    eachRow(
      LOOPBACK_SPELLINGS(8787).map((url) => url.replace(/[/\\]a?$/, '')),
      (own) => {
        // A name below `localhost` that is no id is no world.
        const isBelow = /\.localhost\.?$/.test(new URL(own).hostname)
        const place = isBelow ? undefined : { universeId: ID, path: '/inboxes/a/b' }
        expect(ownTargetOf(`${own}/u/${ID}/inboxes/a/b`, AT_HOME)).toEqual(place)
        expect(findTargetFault(`${own}/u/${ID}/inboxes/a/b`, AT_HOME)).toBe(isBelow ? OWN_PLACE : undefined)
        expect(findTargetFault(`${own}/u/${ID}/planets`, AT_HOME)).toBe(OWN_PLACE)
      },
    ))

  it('is not at another port or name', () =>
    eachRow(
      [
        ...[
          `http://${ID}.localhost:8788/planets`,
          `http://localhost:8788/u/${ID}/planets`,
          'http://a.localhost/planets',
        ],
        ...[`http://192.168.1.5:8787/u/${ID}/planets`, `http://${ID}.local:8787/planets`],
      ],
      (url) => {
        expect(findTargetFault(url, AT_HOME)).toBeUndefined()
        expect(ownTargetOf(url, AT_HOME)).toBeUndefined()
      },
    ))

  it('is never at an address with a cloud’s secrets', () =>
    eachRow(['metadata.google.internal', '169.254.169.254', '[fd00:ec2::254]'], (host) => {
      for (const path of [`/u/${ID}/inboxes/a/b`, `/u/${ID}/echo`]) {
        expect(findTargetFault(`http://${host}${path}`, AT_HOME)).toBe(NOT_PUBLIC)
      }
    }))
})

describe('the rules for a request', () => {
  it('allow the echo and inboxes of every world, and nothing else of it', () =>
    eachRow(
      [
        ['the common world', OWN],
        ['a universe by path', `${OWN}/u/${OTHER_ID}`],
        ['a universe by host', `https://${OTHER_ID}.${DOMAIN}`],
      ],
      ([, baseUrl]) => {
        for (const target of [
          OWN,
          `${OWN}/u/${ID}`,
          `${OWN}/u/${OTHER_ID}`,
          AT_HOST,
          `https://${OTHER_ID}.${DOMAIN}`,
        ]) {
          const rules = guardRulesOf(baseUrl, CONFIG)
          expect(findTargetFault(`${target}/inboxes/a/b`, rules)).toBeUndefined()
          expect(findTargetFault(`${target}/echo`, rules)).toBeUndefined()
          expect(findTargetFault(`${target}/planets`, rules)).toBe(OWN_PLACE)
        }
      },
    ))

  it('count the origin of its base URL, and not the path', () => {
    const rules = guardRulesOf(`${OWN}/u/${OTHER_ID}`, { ...CONFIG, publicUrl: undefined })
    expect(findTargetFault(`${OWN}/planets`, rules)).toBe(OWN_PLACE)
    expect(ownTargetOf(`${OWN}/inboxes/a/b`, rules)).toEqual({ universeId: undefined, path: '/inboxes/a/b' })
    expect(ownTargetOf(`${OWN}/u/${ID}/inboxes/a/b`, rules)).toEqual({ universeId: ID, path: '/inboxes/a/b' })
  })

  it('count the base URL that the request saw, also if the configuration names another one now', () => {
    const rules = guardRulesOf('https://former.example', CONFIG)
    for (const origin of ['https://former.example', OWN]) {
      expect(findTargetFault(`${origin}/planets`, rules)).toBe(OWN_PLACE)
      expect(ownTargetOf(`${origin}/u/${ID}/inboxes/a/b`, rules)).toEqual({ universeId: ID, path: '/inboxes/a/b' })
    }
  })

  it('count every address of the configuration, whatever base URL the request saw', () => {
    const addresses = ['localhost:8787', '192.168.1.5:8787', '[fd00::5]:8787', 'alias.example']
    const config = { ...CONFIG, publicUrl: undefined, ownAddresses: addresses, allowsPrivateTargets: true }
    const loopback = ['http://127.0.0.1:8787', 'http://[::1]:8787', 'http://2130706433:8787', 'http://a.localhost:8787']
    const others = ['http://192.168.1.5:8787', 'http://[::ffff:192.168.1.5]:8787', 'http://[fd00:0::5]:8787']
    for (const baseUrl of ['http://localtest.me:8787', `http://localtest.me:8787/u/${ID}`]) {
      const rules = guardRulesOf(baseUrl, config)
      for (const origin of [...loopback, ...others, 'https://ALIAS.example.:8443']) {
        expect(findTargetFault(`${origin}/planets`, rules), origin).toBe(OWN_PLACE)
        expect(findTargetFault(`${origin}/u/${ID}/planets`, rules), origin).toBe(OWN_PLACE)
        expect(findTargetFault(`${origin}/echo`, rules), origin).toBeUndefined()
        expect(ownTargetOf(`${origin}/u/${ID}/inboxes/a/b`, rules)).toEqual({ universeId: ID, path: '/inboxes/a/b' })
      }
      for (const origin of ['http://127.0.0.1:8788', 'http://192.168.1.6:8787', 'http://192.168.1.5:8788'])
        expect(findTargetFault(`${origin}/planets`, rules), origin).toBeUndefined()
    }
  })

  it('are those of the configuration', () => {
    const atHome = { ...CONFIG, echoHost: 'echo.localhost', allowsPrivateTargets: true }
    expect(findTargetFault('http://echo.localhost/planets', guardRulesOf(OWN, atHome))).toBeUndefined()
    expect(findTargetFault('http://127.0.0.1:9000/', guardRulesOf(OWN, atHome))).toBeUndefined()
    expect(findTargetFault('http://127.0.0.1:9000/', guardRulesOf(OWN, CONFIG))).toBe(NOT_PUBLIC)
  })
})

describe('a host that serves only images', () => {
  const ATTEMPTS = [
    ...['https://images.example/echo', 'https://images.example/inboxes/a/b', `https://images.example/u/${ID}/echo`],
    ...['https://IMAGES.example.:443/images/a.png', 'http://images.example:8443/', 'https://images。example/echo/200'],
  ]

  it('cannot be called, from any world', () =>
    eachRow(ATTEMPTS, (url) => {
      for (const baseUrl of [OWN, `${OWN}/u/${ID}`, AT_HOST]) {
        const rules = guardRulesOf(baseUrl, CONFIG)
        expect(findTargetFault(url, rules)).toBe(OWN_PLACE)
        expect(ownTargetOf(url, rules)).toBeUndefined()
        expect(findTargetFault(url, { ...rules, closedHosts: [] })).toBeUndefined()
      }
    }))

  it('does not close other names, nor the service at another name of this machine', () => {
    expect(findTargetFault('https://www.images.example/echo', guardRulesOf(OWN, CONFIG))).toBeUndefined()
    const atHome = {
      ...CONFIG,
      publicUrl: undefined,
      closedHosts: ['images.localhost:8787'],
      allowsPrivateTargets: true,
    }
    const rules = guardRulesOf('http://localhost:8787', atHome)
    expect(findTargetFault('http://localhost:8787/echo', rules)).toBeUndefined()
    expect(findTargetFault('http://127.0.0.1:8787/echo', rules)).toBeUndefined()
    expect(findTargetFault('http://images.localhost:8787/echo', rules)).toBe(OWN_PLACE)
  })
})

describe('a world with the name of the host of images, at another port', () => {
  it('can be called from every world, and the host of images cannot', () =>
    eachRow(
      [
        ['the common world', { ...CONFIG, publicUrl: 'https://images.example:8443' }],
        ['the domain of universes', { ...CONFIG, universeHost: 'images.example:8443' }],
      ],
      ([, config]) => {
        const rules = guardRulesOf(config.publicUrl, config)
        expect(findTargetFault('https://images.example:8443/echo', rules)).toBeUndefined()
        expect(ownTargetOf('https://images.example:8443/inboxes/a/b', rules)?.path).toBe('/inboxes/a/b')
        expect(findTargetFault('https://images.example:8443/planets', rules)).toBe(OWN_PLACE)
        expect(findTargetFault('https://images.example/echo', rules)).toBe(OWN_PLACE)
        expect(findTargetFault('https://images.example:2053/echo', rules)).toBe(OWN_PLACE)
      },
    ))
})

describe('of random URLs of this service', () => {
  const world = fc.constantFrom(OWN, `${OWN}/u/${ID}`, `https://${DOMAIN}/u/${ID}`, AT_HOST, `https://a.${DOMAIN}`)
  const steps = ['/', '\\', '..', '.', '%2e', '2E', '%2f', '%5C', '%25', 'inboxes', 'echo', 'a', '?', 'u', ID, '/..']
  const start = fc.constantFrom('/', '/echo', '/inboxes/', '/inboxes/a/', '/planets/../', `/u/${ID}/`, `/../u/${ID}/`)
  const target = fc
    .tuple(world, start, fc.array(fc.constantFrom('/', ...steps)))
    .map(([own, path, pieces]) => own + path + pieces.join(''))

  /** Read independently of the tested code: the path within a world, also after another decoding. */
  const isOpenTarget = (text: string) => {
    const { hostname, pathname } = new URL(text)
    const prefix = hostname.startsWith(ID) ? '' : `(?:/u/${ID})?`
    const open = new RegExp(`^${prefix}/(?:echo(?:/|$)|inboxes/[^/]+/)`)
    const again = new URL(OWN + decodeURIComponent(pathname)).pathname
    return hostname !== `a.${DOMAIN}` && [pathname, again].every((path) => open.test(path))
  }

  it('those that may be called are the echo and inboxes of a world', () => {
    let allowed = 0
    fc.assert(
      fc.property(target, (text) => {
        const fault = findTargetFault(text, DEPLOYED)
        if (fault === undefined) allowed++
        return fault === undefined ? isOpenTarget(text) : fault === OWN_PLACE
      }),
      { numRuns: 5000 },
    )
    // Otherwise almost every URL was refused, and the test says little. It is about 535.
    expect(allowed).toBeGreaterThan(100)
  })

  it('each spelling of a host below the wildcard domain is recognized', () => {
    const label = fc.constantFrom(ID, OTHER_ID, 'www', `a.${ID}`, 'a.b')
    const host = label.chain((text) => spellName(`${text}.${DOMAIN}`))
    fc.assert(
      fc.property(spellTarget(host), (text) => findTargetFault(text, DEPLOYED) === OWN_PLACE),
      { numRuns: 2000 },
    )
  })
})
