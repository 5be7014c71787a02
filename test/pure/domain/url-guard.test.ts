import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTargetFault, type GuardRules, ownTargetOf } from '../../../src/domain/url-guard.ts'
import { eachRow } from '../../support/each-row.ts'
import {
  CLOSED_IPV4,
  LOOPBACK_SPELLINGS,
  loopbackTargets,
  privateTarget,
  spellIPv4,
  spellIPv6,
  spellName,
  spellTarget,
  toNumber,
} from '../../support/private-targets.ts'

// What the service may call, of all URLs that a stranger can give it.

const OWN = 'https://galaxy.example'
const DEPLOYED: GuardRules = { allowsPrivate: false, ownOrigins: [OWN] }
const AT_HOME: GuardRules = { allowsPrivate: true, ownOrigins: [OWN] }

const NO_URL = 'must be an absolute http or https URL'
const USER_INFO = 'must not contain a user name, a password or an @ before its host'
const NOT_PUBLIC = 'must lead to a public address'
const OWN_PLACE = 'must not lead to this service, except to its paths /echo and /inboxes/{id}/'

/** Addresses at both edges of a range, and the public ones next to it, if there are any. */
interface Range {
  range: string
  inside: string[]
  beside: string[]
}

const PRIVATE_RANGES: Range[] = [
  { range: '10/8', inside: ['10.0.0.0', '10.255.255.255'], beside: ['9.255.255.255', '11.0.0.0'] },
  { range: '127/8', inside: ['127.0.0.0', '127.255.255.255'], beside: ['126.255.255.255', '128.0.0.0'] },
  { range: '172.16/12', inside: ['172.16.0.0', '172.31.255.255'], beside: ['172.15.255.255', '172.32.0.0'] },
  { range: '192.168/16', inside: ['192.168.0.0', '192.168.255.255'], beside: ['192.167.255.255', '192.169.0.0'] },
  { range: '::1', inside: ['[::1]'], beside: [] },
  { range: 'fc00::/7', inside: ['[fc00::]', '[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]'], beside: [] },
  { range: 'mapped 10/8', inside: ['[::ffff:10.0.0.0]', '[::ffff:10.255.255.255]'], beside: [] },
  { range: 'mapped 127/8', inside: ['[::ffff:127.0.0.0]', '[::ffff:127.255.255.255]'], beside: [] },
  { range: 'mapped 172.16/12', inside: ['[::ffff:172.16.0.0]', '[::ffff:172.31.255.255]'], beside: [] },
  { range: 'mapped 192.168/16', inside: ['[::ffff:192.168.0.0]', '[::ffff:c0a8:ffff]'], beside: [] },
]

const CLOSED_RANGES: Range[] = [
  { range: 'this network', inside: ['0.0.0.0', '0.0.0.1', '0.255.255.255'], beside: ['1.0.0.0'] },
  { range: 'carrier-grade NAT', inside: ['100.64.0.0', '100.127.255.255'], beside: ['100.63.255.255', '100.128.0.0'] },
  { range: 'link-local', inside: ['169.254.0.0', '169.254.255.255'], beside: ['169.253.255.255', '169.255.0.0'] },
  { range: 'protocols', inside: ['192.0.0.0', '192.0.0.255'], beside: ['191.255.255.255', '192.0.1.0'] },
  { range: 'documentation 1', inside: ['192.0.2.0', '192.0.2.255'], beside: ['192.0.1.255', '192.0.3.0'] },
  { range: 'AS112', inside: ['192.31.196.0', '192.31.196.255'], beside: ['192.31.195.255', '192.31.197.0'] },
  {
    range: 'multicast tunnels',
    inside: ['192.52.193.0', '192.52.193.255'],
    beside: ['192.52.192.255', '192.52.194.0'],
  },
  { range: '6to4 relays', inside: ['192.88.99.0', '192.88.99.255'], beside: ['192.88.98.255', '192.88.100.0'] },
  { range: 'AS112, older', inside: ['192.175.48.0', '192.175.48.255'], beside: ['192.175.47.255', '192.175.49.0'] },
  { range: 'benchmarking', inside: ['198.18.0.0', '198.19.255.255'], beside: ['198.17.255.255', '198.20.0.0'] },
  { range: 'documentation 2', inside: ['198.51.100.0', '198.51.100.255'], beside: ['198.51.99.255', '198.51.101.0'] },
  { range: 'documentation 3', inside: ['203.0.113.0', '203.0.113.255'], beside: ['203.0.112.255', '203.0.114.0'] },
  { range: 'multicast', inside: ['224.0.0.0', '239.255.255.255'], beside: ['223.255.255.255'] },
  { range: 'reserved', inside: ['240.0.0.0', '255.255.255.254'], beside: [] },
  { range: 'broadcast', inside: ['255.255.255.255'], beside: [] },
  { range: 'unspecified', inside: ['[::]'], beside: [] },
  { range: 'IPv4-compatible', inside: ['[::2]', '[::127.0.0.1]', '[::8.8.8.8]', '[::255.255.255.255]'], beside: [] },
  { range: 'mapped, public', inside: ['[::ffff:1.0.0.0]', '[::ffff:8.8.8.8]', '[::ffff:223.255.255.255]'], beside: [] },
  {
    range: 'mapped, closed',
    inside: ['[::ffff:0.0.0.0]', '[::ffff:169.254.169.254]', '[::ffff:ffff:ffff]'],
    beside: [],
  },
  { range: 'translated', inside: ['[::ffff:0:0:0]', '[::ffff:0:127.0.0.1]', '[::ffff:0:8.8.8.8]'], beside: [] },
  { range: 'NAT64', inside: ['[64:ff9b::]', '[64:ff9b::127.0.0.1]', '[64:ff9b::ffff:ffff]'], beside: [] },
  { range: 'local NAT64', inside: ['[64:ff9b:1::]', '[64:ff9b:1:ffff:ffff:ffff:ffff:ffff]'], beside: [] },
  { range: 'discard', inside: ['[100::]', '[100::ffff:ffff:ffff:ffff]', '[100:0:0:1::]'], beside: [] },
  {
    range: 'below 2000::/3',
    inside: ['[1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]', '[2::1]', '[3ab::1]'],
    beside: ['[2000::]'],
  },
  { range: 'above 2000::/3', inside: ['[4000::]'], beside: ['[3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]'] },
  { range: 'Teredo', inside: ['[2001::]', '[2001:0:ffff:ffff:ffff:ffff:ffff:ffff]'], beside: ['[2000:ffff::ffff]'] },
  { range: 'IPv6 protocols', inside: ['[2001:1::]', '[2001:1ff:ffff::ffff]'], beside: ['[2001:200::]'] },
  { range: 'IPv6 benchmarking', inside: ['[2001:2::]', '[2001:2:0:ffff:ffff:ffff:ffff:ffff]'], beside: [] },
  { range: 'ORCHID', inside: ['[2001:10::]', '[2001:1f:ffff::ffff]'], beside: [] },
  { range: 'ORCHIDv2', inside: ['[2001:20::]', '[2001:2f:ffff::ffff]'], beside: [] },
  {
    range: 'documentation, IPv6',
    inside: ['[2001:db8::]', '[2001:db8:ffff::ffff]'],
    beside: ['[2001:db7:ffff::ffff]', '[2001:db9::]'],
  },
  {
    range: '6to4',
    inside: ['[2002::]', '[2002:7f00:1::]', '[2002:808:808::]', '[2002:ffff:ffff::ffff]'],
    beside: ['[2001:ffff::ffff]', '[2003::]'],
  },
  {
    range: 'AS112, IPv6',
    inside: ['[2620:4f:8000::]', '[2620:4f:8000:ffff::ffff]'],
    beside: ['[2620:4f:7fff:ffff::ffff]', '[2620:4f:8001::]'],
  },
  {
    range: 'documentation, long',
    inside: ['[3fff::]', '[3fff:fff:ffff::ffff]'],
    beside: ['[3ffe:ffff::ffff]', '[3fff:1000::]'],
  },
  { range: 'SRv6', inside: ['[5f00::]', '[5f00:ffff::ffff]'], beside: [] },
  { range: 'below fc00::/7', inside: ['[fbff:ffff::ffff]'], beside: [] },
  { range: 'above fc00::/7', inside: ['[fe00::]', '[fe7f:ffff::ffff]'], beside: [] },
  { range: 'link-local, IPv6', inside: ['[fe80::]', '[fe80::a9fe:a9fe]', '[febf:ffff::ffff]'], beside: [] },
  { range: 'site-local', inside: ['[fec0::]', '[feff:ffff::ffff]'], beside: [] },
  {
    range: 'multicast, IPv6',
    inside: ['[ff00::]', '[ff02::1]', '[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]'],
    beside: [],
  },
  {
    range: 'metadata',
    inside: ['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16'],
    beside: ['168.63.129.15', '168.63.129.17'],
  },
  { range: 'metadata, IPv6', inside: ['[fd00:ec2::254]', '[fd20:ce::254]'], beside: [] },
]

const hostsOf = (ranges: Range[], edge: 'inside' | 'beside') =>
  ranges.flatMap((row) => row[edge].map((host): [string, string] => [row.range, host]))

const PRIVATE_NAMES = [
  ...['localhost', 'localhost.', 'a.localhost', 'A.B.LocalHost.', 'localhost.localdomain', 'localhost6.localdomain6'],
  ...['printer', 'printer.', 'galaxy', '0xfoo', '1e3', 'unix', '*', 'xn--'],
  ...['db.internal', 'host.docker.internal.', 'printer.local', 'a.local.', 'nas.home.arpa', 'home.arpa', 'router.lan'],
  ...[
    'wiki.corp',
    'wiki.intranet',
    'tv.home',
    'vault.private',
    'kubernetes.default.svc',
    'api.default.svc.cluster.local',
  ],
  ...['ⓛocalhost', 'ＬＯＣＡＬＨＯＳＴ', 'nas%2elocal', 'nas。local', 'nas.lo\u00adcal', 'ﬀ.local', 'a.lan%2e'],
]

const METADATA_NAMES = [
  ...[
    'metadata',
    'METADATA.',
    'metadata.google.internal',
    'metadata.google.internal.',
    'metadata.goog',
    'Metadata.Goog.',
  ],
  ...['instance-data', 'instance-data.ec2.internal', 'metadata.tencentyun.com', 'metadata.azure.internal'],
  ...['metadata.packet.net', 'metadata.platformequinix.com', 'rancher-metadata', 'metadata%2egoog'],
]

const PUBLIC_NAMES = [
  ...['receiver.example', 'receiver.example.', 'RECEIVER.example', 'hooks.receiver.example', 'receiver.example:8443'],
  ...[
    'localhost.example',
    'notlocalhost.example',
    'mylocal.example',
    'local.example',
    'internal.example',
    'lan.example',
  ],
  ...['metadata.example', 'xlocalhost.com', 'a.notlocal', 'a.xinternal', 'a.wlan', 'xhome.arpa', '127.0.0.1.example'],
  ...['10.example', 'faß.example', 'bücher.example', '半径.example', 'a_b.example', 'xn--bcher-kva.example'],
]

describe('unusable addresses, and those with a cloud’s secrets, are blocked in a deployment and on a home machine', () => {
  it('at both ends of each range', () =>
    eachRow(hostsOf(CLOSED_RANGES, 'inside'), ([, host]) => {
      expect(findTargetFault(`http://${host}/`, DEPLOYED)).toBe(NOT_PUBLIC)
      expect(findTargetFault(`http://${host}/`, AT_HOME)).toBe(NOT_PUBLIC)
    }))

  it('by their names', () =>
    eachRow(METADATA_NAMES, (name) => {
      expect(findTargetFault(`http://${name}/`, DEPLOYED)).toBe(NOT_PUBLIC)
      expect(findTargetFault(`http://${name}/`, AT_HOME)).toBe(NOT_PUBLIC)
    }))
})

describe('private addresses are allowed only on a home machine', () => {
  it('at both ends of each range', () =>
    eachRow(hostsOf(PRIVATE_RANGES, 'inside'), ([, host]) => {
      expect(findTargetFault(`http://${host}/`, DEPLOYED)).toBe(NOT_PUBLIC)
      expect(findTargetFault(`http://${host}/`, AT_HOME)).toBeUndefined()
    }))

  it('by their names', () =>
    eachRow(PRIVATE_NAMES, (name) => {
      expect(findTargetFault(`https://${name}:8080/a`, DEPLOYED)).toBe(NOT_PUBLIC)
      expect(findTargetFault(`https://${name}:8080/a`, AT_HOME)).toBeUndefined()
    }))
})

describe('public addresses are allowed everywhere', () => {
  it('also those beside each closed range', () =>
    eachRow(hostsOf([...PRIVATE_RANGES, ...CLOSED_RANGES], 'beside'), ([, host]) => {
      expect(findTargetFault(`http://${host}/`, DEPLOYED)).toBeUndefined()
      expect(findTargetFault(`http://${host}/`, AT_HOME)).toBeUndefined()
    }))

  it('by their names', () =>
    eachRow(PUBLIC_NAMES, (name) => {
      expect(findTargetFault(`https://${name}/hook?a=1#b`, DEPLOYED)).toBeUndefined()
      expect(findTargetFault(`https://${name}/hook?a=1#b`, AT_HOME)).toBeUndefined()
    }))

  it('however an address is written', () =>
    eachRow(
      ['8.8.8.8', '134744072', '0x8.010.2056', '８.8.8.8', '%38.8.8.8', '[2606:4700::1111]', '[2001:4860:4860::8888]'],
      (host) => expect(findTargetFault(`HTTPS:\\\\${host}:8443/`, DEPLOYED)).toBeUndefined(),
    ))

  it('at every port', () =>
    eachRow([1, 22, 25, 80, 443, 6379, 65535], (port) => {
      expect(findTargetFault(`http://receiver.example:${port}/`, DEPLOYED)).toBeUndefined()
    }))
})

describe('a URL that is not http or https, or whose host is ambiguous, is rejected as such', () => {
  it('every such text', () =>
    eachRow(
      [
        ...['', ' ', 'receiver.example', '/hook', '//receiver.example/', 'http:', 'http://', 'https:///', 'http://?a'],
        ...[
          'ftp://receiver.example/',
          'file:///etc/passwd',
          'ws://receiver.example/',
          'javascript:alert(1)',
          'data:,a',
        ],
        ...['blob:http://receiver.example/a', 'gopher://127.0.0.1:6379/_a', 'httpx://receiver.example/', 'about:blank'],
        ...[
          'http://receiver.example:65536/',
          'http://receiver.example:a/',
          'http://a b.example/',
          'http://a%00.example/',
        ],
        ...[
          'http://256.1.1.1/',
          'http://1.2.3.4.5/',
          'http://09.1.1.1/',
          'http://4294967296/',
          'http://a.1/',
          'http://[::1',
        ],
        ...[
          'http://[fe80::1%25eth0]/',
          'http://[::1].example/',
          'http://[::１]/',
          'http://[1::2::3]/',
          'http://[::ffff:1.2.3]/',
        ],
        ...[
          'http://./',
          'http://../',
          'http://receiver.example../',
          'http://.receiver.example/',
          'http://a..receiver.example/',
        ],
        ...['http://localhost../', 'http://127.0.0.1../', 'http://127.1.../', 'http://127.0.0.1.%2e/', 'http://a.1../'],
        ...['http://localhost.。/', 'http://.localhost/', 'http://galaxy.example../inboxes/a/', 'http://8.8.8.8../'],
      ],
      (text) => {
        expect(findTargetFault(text, DEPLOYED)).toBe(NO_URL)
        expect(findTargetFault(text, AT_HOME)).toBe(NO_URL)
        expect(ownTargetOf(text, DEPLOYED)).toBeUndefined()
      },
    ))
})

describe('credentials in a URL are rejected, whatever its host', () => {
  it('in every form', () =>
    eachRow(
      [
        ...[
          'http://a@receiver.example/',
          'http://a:b@receiver.example/',
          'http://:b@receiver.example/',
          'https://%00@8.8.8.8/',
        ],
        ...[
          'http://receiver.example@127.0.0.1/',
          'http://receiver.example%2f@localhost/',
          'http://a@b@receiver.example/',
        ],
        ...['http://a@galaxy.example/echo', 'http://a:b@galaxy.example/inboxes/a/', 'http:a:b@echo.example/'],
        ...[
          'http://@receiver.example/',
          'http://:@receiver.example/',
          'https:\\\\@8.8.8.8',
          'http://@galaxy.example/echo',
        ],
        ...['https:/\n/a:b@receiver.example/', 'https:/\t/@receiver.example/', 'https:\r//a@receiver.example/'],
      ],
      (text) => {
        const rules = { ...AT_HOME, echoHost: 'echo.example' }
        expect(findTargetFault(text, rules)).toBe(USER_INFO)
        expect(findTargetFault(text.replace(/[^/]*@/, ''), rules)).not.toBe(USER_INFO)
      },
    ))
})

it('the machine itself cannot be reached, however it is written', () =>
  eachRow(LOOPBACK_SPELLINGS(8788), (text) => {
    expect(findTargetFault(text, DEPLOYED)).toBe(NOT_PUBLIC)
    expect(findTargetFault(text, { allowsPrivate: false, ownOrigins: ['http://localhost:8787'] })).toBe(NOT_PUBLIC)
  }))

/** Other spellings of a service's own host and port: what it serves there, and what may be called. */
const OWN_SPELLINGS: [own: string, urls: string[]][] = [
  [
    OWN,
    [
      ...['https://galaxy.example', 'http://galaxy.example', 'https://galaxy.example.', 'HTTPS:GALAXY.EXAMPLE'],
      ...[
        'https://galaxy.example:443',
        'http://galaxy.example:80',
        'http://galaxy.example:443',
        'https://galaxy.example:80',
      ],
      ...[
        'https://g%61laxy.example',
        'https://ｇａｌａｘｙ。example',
        'http:\\\\galaxy.ex\tample',
        'http://gala\u00adxy.example:',
      ],
    ],
  ],
  [
    'http://galaxy.example',
    ['http://galaxy.example', 'https://galaxy.example.:443', 'https://galaxy.example', 'https://galaxy.example:8443'],
  ],
  ['https://galaxy.example.', ['https://galaxy.example', 'http://galaxy.example']],
  ['https://galaxy.example:8443', ['https://galaxy.example:8443', 'http://galaxy.example.:8443']],
  [
    'http://192.168.1.5:8787',
    ['http://192.168.1.5:8787', 'http://0xc0.0xa8.261:8787', 'https://[::ffff:192.168.1.5]:8787'],
  ],
  ['http://[fd00::5]:8787', ['http://[fd00::5]:8787', 'http://[FD00:0:0:0:0:0:0:0005]:08787']],
  ['http://localhost:8787', LOOPBACK_SPELLINGS(8787).map((url) => url.replace(/[/\\]a?$/, ''))],
  [
    'http://127.0.0.1:8787',
    ['http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::1]:8787', 'http://127.9:8787'],
  ],
  [
    'http://[::1]:8787',
    ['http://[::1]:8787', 'http://127.0.0.1:8787', 'http://localhost.:8787', 'http://0.0.0.0:8787'],
  ],
  [
    'http://0.0.0.0:8787',
    ['http://0.0.0.0:8787', 'http://127.0.0.1:8787', 'http://localhost:8787', 'http://[::]:8787'],
  ],
  ['http://galaxy.localhost:8787', ['http://localhost:8787', 'http://127.0.0.1:8787', 'http://a.localhost:8787']],
  ['http://[::ffff:127.0.0.1]:8787', ['http://127.0.0.1:8787', 'http://[::ffff:7f00:2]:8787']],
  ['http://[::ffff:192.168.1.5]:8787', ['http://192.168.1.5:8787']],
  ['http://localhost', ['https://127.0.0.1', 'http://[::1]:80', 'http://localhost:443']],
]

const ownRows = OWN_SPELLINGS.flatMap(([own, urls]) => urls.map((url): [string, string] => [own, url]))

describe('the service does not call itself', () => {
  it('by any of its names, however it is written', () =>
    eachRow(ownRows, ([own, url]) => {
      for (const allowsPrivate of [false, true]) {
        const rules = { allowsPrivate, ownOrigins: ['https://other.example', own] }
        expect(findTargetFault(`${url}/planets?a=/echo`, rules)).toBe(OWN_PLACE)
        if (allowsPrivate) expect(findTargetFault(`${url}/echo`, rules)).toBeUndefined()
        expect(findTargetFault(`${url}/inboxes/a/`, rules)).toBeUndefined()
      }
      const hosts = { ownOrigins: ['https://other.example', own] }
      expect(ownTargetOf(`${url}/planets?a=/echo`, hosts)).toEqual({ universeId: undefined, path: '/planets' })
    }))

  it('also at no path that only looks like one to be called', () =>
    eachRow(
      [
        ...[
          '/',
          '',
          '?/echo',
          '#/echo',
          '/planets',
          '/Echo',
          '/ECHO/',
          '/echoes',
          '/echo.json',
          '/echo%20',
          '//echo',
          '//echo/a',
        ],
        ...[
          '/me/echo',
          '/echo/../planets',
          '/echo/%2e%2e/planets',
          '/echo/.%2E\\planets',
          '\\echo\\..\\planets',
          '/./planets',
        ],
        ...[
          '/echo/..%2fplanets',
          '/echo/..%5Cplanets',
          '/echo/%2e%2e%2fplanets',
          '/echo/%252e%252e/planets',
          '/echo%2fplanets',
        ],
        ...['/echo/%25252e%25252e%25252fplanets', '/echo/..%252Fplanets', '/ech\to/../planets', '/%65cho'],
        ...[
          '/inboxes',
          '/inboxes/',
          '/inboxes/a',
          '/inboxes//',
          '/inboxes//a',
          '/inboxes//a/',
          '/inboxes/./a',
          '/inboxes/../planets',
        ],
        ...[
          '/inboxes/a/..',
          '/inboxes/a/../',
          '/inboxes/a/../b',
          '/inboxes/a/../../planets',
          '/inboxes/a/%2e%2e/%2E%2E/planets',
        ],
        ...[
          '/inboxes/a\\..\\..\\planets',
          '/inboxes/a%2f',
          '/inboxes/a%2f/b',
          '/inboxes/a%2f..%2fb/c',
          '/inboxes/%2e%2e/a',
        ],
        ...[
          '/inboxes/a%5cb/c',
          '/inboxes/%2f/a',
          '/inboxes/%61/',
          '/inboxes/a?/',
          '/inboxes/a#/',
          '/inboxes/a/..%2f..%2fplanets',
        ],
        ...[
          '/inboxes/a/%2e%2e%2f%2e%2e%2fplanets',
          '/inboxes/a/%252e%252e/%252e%252e/planets',
          '/INBOXES/a/',
          '/planets/../inboxes/a',
        ],
        ...['/inboxes/a/../..//planets', '/v1/inboxes/a/'],
      ],
      (path) => {
        expect(findTargetFault(`https://galaxy.example${path}`, DEPLOYED)).toBe(OWN_PLACE)
        expect(
          findTargetFault(`http://localhost:8787${path}`, { allowsPrivate: true, ownOrigins: ['http://127.1:8787'] }),
        ).toBe(OWN_PLACE)
      },
    ))
})

it('the echo of a service with a private name is private too', () => {
  const rules = { allowsPrivate: false, ownOrigins: ['http://127.0.0.1:9999'] }
  expect(findTargetFault('http://127.0.0.1:9999/echo/x', rules)).toBe('must lead to a public address')
  expect(findTargetFault('http://127.0.0.1:9999/inboxes/a/x', rules)).toBeUndefined()
})

describe('the paths of the service that exist to be called can be called', () => {
  it('and are recognized however they are written', () =>
    eachRow(
      [
        ['/echo', '/echo'],
        ['/echo/', '/echo/'],
        ['/echo/503', '/echo/503'],
        ['/echo?delay=1', '/echo'],
        ['/echo#a', '/echo'],
        ['/echo/a/b.json', '/echo/a/b.json'],
        ['/echo/gr%C3%B6%C3%9Fe%20a', '/echo/gr%C3%B6%C3%9Fe%20a'],
        ['/echo/größe', '/echo/gr%C3%B6%C3%9Fe'],
        ['/echo/50%25', '/echo/50%25'],
        ['/echo//a', '/echo//a'],
        ['/planets/../echo/', '/echo/'],
        ['\\echo\\a', '/echo/a'],
        ['/inboxes/a/', '/inboxes/a/'],
        ['/inboxes/3f9-Xa_Z/hook', '/inboxes/3f9-Xa_Z/hook'],
        ['/inboxes/a/b/c?d=/../', '/inboxes/a/b/c'],
        ['/inboxes/a//b', '/inboxes/a//b'],
        ['/inboxes/a/b/..', '/inboxes/a/'],
        ['/inboxes/a/../b/', '/inboxes/b/'],
        ['/planets/%2e%2e/inboxes/a/b', '/inboxes/a/b'],
        ['/in\nboxes/a/', '/inboxes/a/'],
      ],
      ([path, folded]) => {
        expect(findTargetFault(`https://galaxy.example${path}`, DEPLOYED)).toBeUndefined()
        expect(ownTargetOf(`https://galaxy.example${path}`, DEPLOYED)).toEqual({ universeId: undefined, path: folded })
      },
    ))
})

describe('others are not mistaken for the service', () => {
  it('on another host, or at another port of this machine', () =>
    eachRow(
      [
        [OWN, 'https://www.galaxy.example/planets'],
        [OWN, 'https://galaxy.example.com/planets'],
        [OWN, 'https://xgalaxy.example/planets'],
        [OWN, 'https://receiver.example/planets?https://galaxy.example/'],
        ['https://galaxy.example:8443', 'https://galaxy.example/planets'],
        ['https://galaxy.example:8443', 'http://galaxy.example:8080/planets'],
        ['http://localhost:8787', 'http://localhost:8788/planets'],
        ['http://localhost:8787', 'http://127.0.0.1/planets'],
        ['http://localhost:8787', 'http://192.168.1.5:8787/planets'],
        ['http://localhost:8787', 'http://printer:8787/planets'],
        ['http://localhost:8787', 'http://127.0.0.1.example:8787/planets'],
        ['http://localhost:8787', 'http://3.127.0.1:8787/planets'],
        ['http://localhost:8787', 'http://10.0.0.0:8787/planets'],
        ['http://localhost:8787', 'http://[fd00::1]:8787/planets'],
        ['http://localhost:8787', 'http://xlocalhost:8787/planets'],
        ['http://localhost:8787', 'http://localhost.example:8787/planets'],
        ['http://192.168.1.5:8787', 'http://127.0.0.1:8787/planets'],
        ['http://192.168.1.5:8787', 'http://192.168.1.6:8787/planets'],
      ],
      ([own, url]) => {
        expect(findTargetFault(url, { allowsPrivate: true, ownOrigins: [own] })).toBeUndefined()
        expect(ownTargetOf(url, { ownOrigins: [own] })).toBeUndefined()
      },
    ))

  it('an inbox of another machine is as private as the machine', () => {
    const rules = { allowsPrivate: false, ownOrigins: ['http://localhost:8787', 'http://192.168.1.5:8787'] }
    expect(findTargetFault('http://192.168.1.5:8787/inboxes/a/', rules)).toBeUndefined()
    expect(findTargetFault('http://192.168.1.6:8787/inboxes/a/', rules)).toBe(NOT_PUBLIC)
    expect(findTargetFault('http://localhost:8788/inboxes/a/', rules)).toBe(NOT_PUBLIC)
    expect(findTargetFault('http://localhost:8788/echo', { ...rules, ownOrigins: [] })).toBe(NOT_PUBLIC)
  })
})

describe('the host of the echo can be called with any path', () => {
  const rules = { allowsPrivate: false, ownOrigins: [OWN, 'https://echo.example'], echoHost: 'echo.example' }

  it('however its URL is written', () =>
    eachRow(
      [
        'https://echo.example/planets',
        'http://ECHO.example./inboxes',
        'https://echo.example:443/..%2fa',
        'http:echo.example',
      ],
      (url) => {
        expect(findTargetFault(url, rules)).toBeUndefined()
        expect(findTargetFault(url, { ...rules, echoHost: '' })).toBe(OWN_PLACE)
        expect(findTargetFault(url, { ...rules, echoHost: undefined })).toBe(OWN_PLACE)
      },
    ))

  it('however it is written in the configuration, even if it is private', () => {
    expect(findTargetFault('http://echo.localhost/a', { ...rules, echoHost: 'Echo.Localhost.' })).toBeUndefined()
    expect(findTargetFault('http://b.localhost/a', { ...rules, echoHost: 'Echo.Localhost.' })).toBe(NOT_PUBLIC)
  })

  it('at the port that the configuration names, and then at no other', () => {
    const withPort = { ...rules, echoHost: 'echo.localhost:8080' }
    expect(findTargetFault('http://echo.localhost:8080/a', withPort)).toBeUndefined()
    expect(findTargetFault('http://echo.localhost:8081/a', withPort)).toBe(NOT_PUBLIC)
    expect(findTargetFault('http://echo.localhost/a', withPort)).toBe(NOT_PUBLIC)
  })

  it('but without a configured port at the usual ports only, and on no other host', () => {
    expect(findTargetFault('http://echo.localhost:8080/a', { ...rules, echoHost: 'echo.localhost' })).toBe(NOT_PUBLIC)
    expect(findTargetFault('https://echo.example/a', { ...rules, echoHost: 'xecho.example' })).toBe(OWN_PLACE)
    expect(findTargetFault('ftp://echo.example/a', rules)).toBe(NO_URL)
  })
})

describe('of random URLs', () => {
  const RUNS = 10_000

  const isClosed = (address: number) =>
    address === toNumber('168.63.129.16') ||
    CLOSED_IPV4.some(([first, prefix]) => address >>> (32 - prefix) === toNumber(first) >>> (32 - prefix))

  const publicIPv4 = fc.nat(2 ** 32 - 1).filter((address) => !isClosed(address))
  const publicIPv6 = fc
    .tuple(fc.integer({ min: 0x2621, max: 0x3ffe }), fc.array(fc.nat(0xffff), { minLength: 7, maxLength: 7 }))
    .map(([first, others]) => [first, ...others])

  const dotted = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff).join('.')

  it('none reaches a private network, however it is written', () => {
    const isRefused = (text: string) => findTargetFault(text, DEPLOYED) === NOT_PUBLIC
    fc.assert(fc.property(privateTarget(), isRefused), { numRuns: RUNS })
  })

  it('none reaches this machine, and at home each does, except the addresses 0.0.0.0 and ::', () => {
    const rules = { allowsPrivate: false, ownOrigins: ['http://localhost:8787'] }
    const isJudged = (text: string) => {
      const isReserved = /^(?:0\.0\.0\.0|\[::\]|\[::ffff:0:0\])$/.test(new URL(text).hostname)
      const atHome = findTargetFault(text, { ...rules, allowsPrivate: true })
      return findTargetFault(text, rules) === NOT_PUBLIC && atHome === (isReserved ? NOT_PUBLIC : undefined)
    }
    fc.assert(fc.property(loopbackTargets(8788), isJudged), { numRuns: RUNS })
  })

  it('each spelling of this service is recognized', () => {
    const isOwn = (text: string) =>
      findTargetFault(text, { allowsPrivate: true, ownOrigins: ['http://[::1]:8787'] }) === OWN_PLACE
    fc.assert(fc.property(loopbackTargets(8787), isOwn), { numRuns: 2000 })
  })

  it('each public address and name is allowed, however it is written', () => {
    const spelled = publicIPv4.chain((address) =>
      fc.tuple(fc.constant(dotted(address)), spellTarget(spellIPv4(address))),
    )
    const isAllowed = (text: string) => findTargetFault(text, DEPLOYED) === undefined
    fc.assert(
      fc.property(spelled, ([address, text]) => isAllowed(text) && new URL(text).hostname === address),
      { numRuns: RUNS },
    )
    fc.assert(fc.property(spellTarget(publicIPv6.chain(spellIPv6)), isAllowed), { numRuns: 1000 })
    fc.assert(fc.property(spellTarget(spellName('hooks.receiver.example')), isAllowed), { numRuns: 1000 })
  })

  /** Also after another decoding of the path, and after resolving its dots and slashes. */
  const isOpenTarget = (path: string) =>
    [path, decodeURIComponent(path)].every((read) =>
      /^\/(?:echo(?:\/|$)|inboxes\/[^/]+\/)/.test(new URL(`${OWN}${read}`).pathname),
    )

  it('a callable URL on the service is an inbox or the echo, and both functions recognize the service alike', () => {
    const origin = fc.constantFrom('https://galaxy.example', 'http://galaxy.example.', 'https://a.example')
    const start = fc.constantFrom('/', '/echo', '/inboxes/', '/inboxes/a/', '/planets/../')
    const steps = ['/', '\\', '..', '.', '%2e', '2E', '%2f', '2f', '%5C', '%25', 'inboxes', 'echo', 'a', '?']
    const piece = fc.constantFrom('/', '/..', ...steps)
    const url = fc.tuple(origin, start, fc.array(piece)).map(([own, path, pieces]) => own + path + pieces.join(''))
    const agrees = (text: string) => {
      const [path, fault] = [ownTargetOf(text, DEPLOYED)?.path, findTargetFault(text, DEPLOYED)]
      if (path === undefined) return fault === undefined && text.startsWith('https://a.example')
      return fault === OWN_PLACE || isOpenTarget(path)
    }
    fc.assert(fc.property(url, agrees), { numRuns: 3000 })
  })

  it('any text gets a result', () => {
    const text = fc.tuple(fc.constantFrom('', 'http://', 'http://[', 'http://a@'), fc.string({ unit: 'binary' }))
    const answers = [undefined, NO_URL, USER_INFO, NOT_PUBLIC]
    fc.assert(
      fc.property(text, (parts) => answers.includes(findTargetFault(parts.join(''), DEPLOYED))),
      { numRuns: 1000 },
    )
  })
})

describe('paths of the platform are rejected on every host', () => {
  const PLATFORM = 'must not lead to a path below /cdn-cgi/ or /__cf_local/'
  const HOSTS = ['https://receiver.example', 'http://127.0.0.1:9000', OWN, 'https://echo.example', 'http://[::1]:8788']
  const rules = { ...AT_HOME, echoHost: 'echo.example' }

  it('however they are written', () =>
    eachRow(
      [
        ...[
          '/cdn-cgi/',
          '/cdn-cgi',
          '/cdn-cgi?a=b',
          '/cdn-cgi/local/scheduled',
          '/cdn-cgi/handler/email',
          '/CDN-CGI/trace',
        ],
        ...['/__cf_local/stream/a', '/__CF_local/imageupload', '/%5f_cf_local/a'],
        ...['/%63dn-cgi/a', '/%63%64%6E%2D%63%67%69/a', '/%2563dn-cgi/a', '/%252563dn-cgi/a', '/%25%36%33dn-cgi/a'],
        ...[
          '//cdn-cgi/a',
          '///cdn-cgi/a',
          '/%2fcdn-cgi/a',
          '/%252fcdn-cgi/a',
          '/cdn-cgi%2fa',
          '/cdn-cgi%5ca',
          '\\cdn-cgi\\a',
        ],
        ...['/./cdn-cgi/a', '/a/../cdn-cgi/a', '/a/%2e%2e/cdn-cgi/a', '/a%2f..%2fcdn-cgi/a', '/a/%252e%252e/cdn-cgi/a'],
        ...['/a/..\\cdn-cgi/a', '/a/..%5ccdn-cgi/a', '/a//../../cdn-cgi/a', '/.%2fcdn-cgi/a'],
        ...['/cd\tn-cgi/a', '/%3f/..%2f../cdn-cgi/a', '/inboxes/..%2fcdn-cgi/a'],
      ],
      (path) => {
        for (const host of HOSTS) expect(findTargetFault(host + path, rules), host).toBe(PLATFORM)
      },
    ))

  it('others are not mistaken for them', () =>
    eachRow(
      [
        ...[
          '/',
          '/cdn',
          '/cdn-cgi.html',
          '/cdn-cgix/a',
          '/a/cdn-cgi/b',
          '/a?b=/cdn-cgi/',
          '/a#/cdn-cgi/',
          '/cdn_cgi/a',
        ],
        ...[
          '/%ff/a',
          '/%',
          '/%2',
          '/%zz/a',
          '/cdn-cgi/../a',
          '/__cf_locale/a',
          '/%e4%b8%80/a',
          '/:80/a',
          '/a//b',
          '/cdn-cgi%3fa',
        ],
      ],
      (path) => {
        expect(findTargetFault(`https://receiver.example${path}`, rules)).toBeUndefined()
        expect(findTargetFault(`https://echo.example${path}`, rules)).toBeUndefined()
      },
    ))

  it('however often a long path is encoded, the answer takes no time', () => {
    const encoded = `https://receiver.example/%${'25'.repeat(600)}63dn-cgi/a`
    const mixed = `https://receiver.example/${'%25%32%35'.repeat(200)}`
    const start = performance.now()
    expect(findTargetFault(encoded, rules)).toBe(PLATFORM)
    expect(findTargetFault(mixed, rules)).toBeUndefined()
    expect(performance.now() - start).toBeLessThan(100)
  })
})
