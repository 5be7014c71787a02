import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { canonicalUrl, targetHostOf } from '../../../src/domain/target-host.ts'
import { SuffixList } from '../../../src/stores/suffix-list.ts'
import { eachRow } from '../../support/each-row.ts'

// The host that a call counts for, and which URLs are the same.

const ORIGIN = 'https://galaxy.example'
const UNIVERSE = 'abcdefghijklmnopqrstuv23'
const CONFIG = {
  publicUrl: undefined,
  universeHost: 'worlds.example',
  ownAddresses: [],
  closedHosts: [],
  echoHost: undefined,
  allowsPrivateTargets: false,
}
const SERVICES = { config: CONFIG, suffixes: new SuffixList(env.ASSETS) }

describe('a call counts for', () => {
  it('its host, however the URL is written', () =>
    eachRow(
      [
        ['https://Hooks.Example.COM.:8443/x?y#z', 'example.com'],
        ['https://a.b.example.co.uk/', 'example.co.uk'],
        ['https://a.b.github.io/', 'b.github.io'],
        ['https://github.io/', 'github.io'],
        ['https://1.2.3.4.nip.io/', 'nip.io'],
        ['https://bücher.example/', 'xn--bcher-kva.example'],
        ['http://localhost:3000/', 'localhost'],
        ['http://0x08.8.2056/', '8.8.8.8'],
        ['http://[2606:4700:0:0:A::1]:81/', '2606:4700:0:0::/64'],
        ['https://galaxy.example/echo', 'galaxy.example'],
        ['https://other.example/inboxes/a/b', 'other.example'],
        ['https://galaxy.example/inboxes/a', 'galaxy.example'],
        ['https://galaxy.example/inboxes/a/b', ''],
        [`https://galaxy.example/u/${UNIVERSE}/inboxes/a/b`, ''],
        [`https://galaxy.example/u/${UNIVERSE}/echo`, 'galaxy.example'],
        [`https://other.example/u/${UNIVERSE}/inboxes/a/b`, 'other.example'],
        [`https://${UNIVERSE}.worlds.example/inboxes/a/b`, ''],
        [`https://${UNIVERSE}.worlds.example/echo`, 'worlds.example'],
      ],
      async ([url, host]) => {
        expect(await targetHostOf(url, ORIGIN, SERVICES)).toBe(host)
      },
    ))
})

describe('a call that a request to a universe caused counts for no host if it goes to an inbox of', () => {
  it('any world of the service', () =>
    eachRow(
      [
        ['the same universe', `${ORIGIN}/u/${UNIVERSE}`, `${ORIGIN}/u/${UNIVERSE}/inboxes/a/b`],
        ['the same universe at its host', `${ORIGIN}/u/${UNIVERSE}`, `https://${UNIVERSE}.worlds.example/inboxes/a/b`],
        ['the common world', `${ORIGIN}/u/${UNIVERSE}`, `${ORIGIN}/inboxes/a/b`],
        ['the common world, which PUBLIC_URL names', `https://${UNIVERSE}.worlds.example`, `${ORIGIN}/inboxes/a/b`],
      ],
      async ([, baseUrl, url]) => {
        const services = { ...SERVICES, config: { ...CONFIG, publicUrl: ORIGIN } }
        expect(await targetHostOf(url, baseUrl, services)).toBe('')
        expect(await targetHostOf(url.replace(/\/inboxes.*/, '/planets'), baseUrl, SERVICES)).not.toBe('')
      },
    ))
})

describe('two URLs are the same', () => {
  it('if they differ in writing only', () =>
    eachRow(
      [
        ['HTTPS://Example.com:443', 'https://example.com/'],
        ['https://example.com./a', 'https://example.com/a'],
        ['https://example.com/a/../b#c', 'https://example.com/b'],
        ['http://0x7f.1/', 'http://127.0.0.1/'],
        ['https://example.com/dup', 'https://example.com/%64up'],
        ['https://example.com/?a-._~Z9', 'https://example.com/?%61%2D%2e%5F%7e%5a%39'],
        ['https://example.com/a%2fb%c3%a9', 'https://example.com/a%2Fb%C3%A9'],
      ],
      ([one, other]) => {
        expect(canonicalUrl(one)).toBe(canonicalUrl(other))
      },
    ))

  it('not if they differ in more', () =>
    eachRow(
      [
        ['http://example.com/', 'https://example.com/'],
        ['https://example.com/a', 'https://example.com/a/'],
        ['https://example.com/?a', 'https://example.com/?A'],
        ['https://example.com/', 'https://example.com:8443/'],
        // RFC 3986, section 6.2.3: an empty query is not the same as no query.
        ['https://example.com/dup', 'https://example.com/dup?'],
        ['https://example.com/a/b', 'https://example.com/a%2Fb'],
        ['https://example.com/A', 'https://example.com/%2541'],
        ['https://example.com/?a=b', 'https://example.com/?a%3Db'],
      ],
      ([one, other]) => {
        expect(canonicalUrl(one)).not.toBe(canonicalUrl(other))
      },
    ))
})
