import fc from 'fast-check'

// URLs that the service must not call, in every spelling that the URL parser normalizes to one of them. They have
// neither a user name nor an error, so that only their target can be the reason to reject them.

/** IPv4 ranges that are not public (IANA's registry of special addresses), as first address and prefix length. */
export const CLOSED_IPV4: readonly (readonly [first: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** IPv6 ranges that are not public, as their fixed groups; the other groups are free. */
const CLOSED_IPV6: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0, 0],
  [0x100, 0, 0, 0],
  [0x2001, 2, 0],
  [0x2001, 0xdb8],
  [0x2001, 0x20],
  [0x3fff, 0xfff],
  [0x5f00],
  [0xfc00],
  [0xfd00, 0xec2],
  [0xfe80, 0, 0, 0],
  [0xfec0],
  [0xff02],
]

/** IPv6 prefixes of embedded IPv4 addresses: mapped, compatible, translated, NAT64 twice, 6to4, Teredo. */
const CARRIERS: readonly (readonly [before: readonly number[], after: readonly number[]])[] = [
  [[0, 0, 0, 0, 0, 0xffff], []],
  [[0, 0, 0, 0, 0, 0], []],
  [[0, 0, 0, 0, 0xffff, 0], []],
  [[0x64, 0xff9b, 0, 0, 0, 0], []],
  [[0x64, 0xff9b, 1, 0, 0, 0], []],
  [[0x2002], [0, 0, 0, 0, 1]],
  [[0x2001, 0, 0, 0, 0, 0], []],
]

const PRIVATE_NAMES = [
  ...['localhost', 'printer', 'metadata', 'db.internal', 'printer.local', 'localhost.localdomain', 'nas.home.arpa'],
  ...['router.lan', 'wiki.corp', 'wiki.intranet', 'api.default.svc', 'api.default.svc.cluster.local', 'a.b.localhost'],
  ...['metadata.google.internal', 'instance-data.ec2.internal'],
]

const LOOPBACK_NAMES = ['localhost', 'galaxy.localhost', 'localhost.localdomain', 'ip6-localhost', 'ip6-loopback']

/** The number that four octets form. */
export function toNumber(address: string): number {
  return address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
}

function toGroups(address: number): [number, number] {
  return [address >>> 16, address & 0xffff]
}

/** Other characters that IDNA maps to a letter, a digit or a dot, and characters that the URL parser or IDNA drops. */
function disguise(character: string, way: number): string {
  const code = character.charCodeAt(0)
  const wide = String.fromCharCode(code + 0xfee0)
  if (way === 1) return character.toUpperCase()
  if (way === 2) return wide
  if (way === 3) return `%${code.toString(16)}`
  if (way === 4) return encodeURIComponent(wide)
  if (way === 5) return `${character}\u00ad`
  if (way === 6) return `\t${character}`
  if (way === 7) return character === '.' ? '\u3002' : character.replace(/\d/, toMathematicalDigit)
  if (way === 8) return character === '.' ? '\uff61' : character.replace(/[a-z]/, toCircledLetter)
  return character
}

function toMathematicalDigit(digit: string): string {
  return String.fromCodePoint(0x1d7ce + Number(digit))
}

function toCircledLetter(letter: string): string {
  return String.fromCharCode(0x24d0 + letter.charCodeAt(0) - 0x61)
}

const ways = fc.array(fc.nat(12), { minLength: 1, maxLength: 7 })

/** Spellings of a lower-case name, with a final dot or without. */
export function spellName(name: string): fc.Arbitrary<string> {
  return fc.tuple(ways, fc.constantFrom('', '.')).map(([chosen, end]) => disguiseAll(`${name}${end}`, chosen))
}

function disguiseAll(text: string, chosen: readonly number[]): string {
  return [...text].map((character, index) => disguise(character, chosen[index % chosen.length] ?? 0)).join('')
}

const bases = fc.array(fc.tuple(fc.constantFrom(10, 8, 16), fc.nat(3)), { minLength: 4, maxLength: 4 })

/** Spellings of an IPv4 address: one to four numbers, each decimal, octal or hexadecimal, disguised as names are. */
export function spellIPv4(address: number): fc.Arbitrary<string> {
  return fc.tuple(fc.nat(3), bases, ways, fc.constantFrom('', '.')).map(([dots, written, chosen, end]) => {
    const octets = [24, 16, 8].slice(0, dots).map((shift) => (address >>> shift) & 0xff)
    const rest = address % 256 ** (4 - dots)
    const numbers = [...octets, rest].map((value, index) => writeNumber(value, written[index] ?? [10, 0]))
    return disguiseAll(`${numbers.join('.')}${end}`, chosen)
  })
}

function writeNumber(value: number, [base, zeros]: readonly [number, number]): string {
  if (base === 10) return String(value)
  return `${base === 8 ? '0' : '0x'}${'0'.repeat(zeros)}${value.toString(base)}`
}

/**
 * Spellings of an IPv6 address of eight groups, in brackets: complete or with a run of zeros omitted, in either case.
 */
export function spellIPv6(groups: readonly number[]): fc.Arbitrary<string> {
  return fc.record({ width: fc.constantFrom(1, 4), skip: fc.boolean(), dotted: fc.boolean(), ways }).map((style) => {
    const tail = style.dotted ? [writeDotted(groups)] : []
    const heads = groups.slice(0, style.dotted ? 6 : 8)
    const written = [...heads.map((group) => group.toString(16).padStart(style.width, '0')), ...tail]
    const text = style.skip ? skipZeros(written) : written.join(':')
    return `[${disguiseAll(text, style.ways.map(toWayOfIPv6))}]`
  })
}

/** In brackets only the case is normalized, and characters that the URL parser always drops are dropped. */
function toWayOfIPv6(way: number): number {
  return [0, 1, 6][way % 4] ?? 0
}

function writeDotted(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >>> 8, group & 0xff])
    .join('.')
}

function skipZeros(written: readonly string[]): string {
  const start = written.findIndex((group) => /^0+$/.test(group))
  if (start === -1) return written.join(':')
  const length = written.slice(start).findIndex((group) => !/^0+$/.test(group))
  const end = length === -1 ? written.length : start + length
  return `${written.slice(0, start).join(':')}::${written.slice(end).join(':')}`
}

const SCHEMES = [
  'http://',
  'https://',
  'HTTP://',
  'hTTpS:\\\\',
  'http:/',
  'https:',
  'http:///',
  ' http:\\/',
  'ht\ntp://',
]
const PATHS = ['', '/', '/planets', '\\planets', '?a=1', '#a', '/a/../b']

/** URLs of hosts with these spellings, at a given port or any port. */
export function spellTarget(host: fc.Arbitrary<string>, port?: number): fc.Arbitrary<string> {
  const ports = port === undefined ? ['', ':', ':80', ':443', ':8787', ':65535'] : [`:${port}`, `:0${port}`]
  return fc
    .tuple(fc.constantFrom(...SCHEMES), host, fc.constantFrom(...ports), fc.constantFrom(...PATHS))
    .map((parts) => parts.join(''))
}

const closedIPv4 = fc
  .tuple(fc.constantFrom(...CLOSED_IPV4), fc.nat(2 ** 32 - 1))
  .map(([[first, prefix], any]) => toNumber(first) + (any % 2 ** (32 - prefix)))

const loopbackIPv4 = fc.oneof(
  { arbitrary: fc.constant(toNumber('127.0.0.1')), weight: 2 },
  { arbitrary: fc.nat(2 ** 24 - 1).map((any) => toNumber('127.0.0.0') + any), weight: 2 },
  { arbitrary: fc.constant(0), weight: 1 },
)

const closedIPv6 = fc
  .tuple(fc.constantFrom(...CLOSED_IPV6), fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }))
  .map(([fixed, any]) => [...fixed, ...any].slice(0, 8))

function carry(address: number, [before, after]: (typeof CARRIERS)[number]): number[] {
  return [...before, ...toGroups(address), ...after]
}

/** URLs of private or reserved addresses, or of names of private networks. */
export function privateTarget(): fc.Arbitrary<string> {
  const host = fc.oneof(
    { arbitrary: closedIPv4.chain(spellIPv4), weight: 4 },
    {
      arbitrary: fc
        .tuple(closedIPv4, fc.constantFrom(...CARRIERS))
        .map((pair) => carry(...pair))
        .chain(spellIPv6),
      weight: 3,
    },
    { arbitrary: closedIPv6.chain(spellIPv6), weight: 2 },
    { arbitrary: fc.constantFrom(...PRIVATE_NAMES).chain(spellName), weight: 2 },
  )
  return spellTarget(host)
}

/** URLs that reach a listener on every address of this machine at a port, if nothing blocks them. */
export function loopbackTargets(port: number): fc.Arbitrary<string> {
  const mapped = loopbackIPv4.map((address) => [0, 0, 0, 0, 0, 0xffff, ...toGroups(address)])
  const host = fc.oneof(
    { arbitrary: loopbackIPv4.chain(spellIPv4), weight: 5 },
    { arbitrary: mapped.chain(spellIPv6), weight: 2 },
    { arbitrary: fc.constantFrom(0, 1).chain((last) => spellIPv6([0, 0, 0, 0, 0, 0, 0, last])), weight: 1 },
    { arbitrary: fc.constantFrom(...LOOPBACK_NAMES).chain(spellName), weight: 2 },
  )
  return spellTarget(host, port)
}

/**
 * The same, written by hand: each spelling of a loopback host that is known to have passed some guard, and similar
 * ones.
 */
const LOOPBACK_HOSTS = [
  ...[
    '127.0.0.1',
    '127.0.0.2',
    '127.1.2.3',
    '127.255.255.254',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '127.1.',
    '127.65537',
  ],
  ...[
    '2130706433',
    '2130706433.',
    '017700000001',
    '0017700000001',
    '0x7f000001',
    '0X7F000001',
    '0x7F.1',
    '0x7f.0x0.0x0.0x1',
  ],
  ...[
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0177.1',
    '00000177.0.0.01',
    '0x0000007f.0x1',
    '127.0x1',
    '127.00000001',
    '0177.0x0.1',
  ],
  ...['0', '0.', '0.0.0.0', '0.0', '0x0', '0x', '00', '0x.0x.0x.0x', '000.000.000.000'],
  ...[
    '１２７.０.０.１',
    '１２７．０．０．１',
    '127。0。0。1',
    '127｡1',
    '①②⑦.0.0.1',
    '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
    '¹²⁷.1',
    '₁₂₇.₁',
    '０ｘ７ｆ.1',
  ],
  ...[
    '%31%32%37.0.0.1',
    '127%2e0%2E0%2e1',
    '%31%32%37%2e%31',
    '%EF%BC%91%EF%BC%92%EF%BC%97.1',
    '127.0.0.1%2e',
    '127.0.0.1。',
  ],
  ...['12\t7.0.0.1', '127.0\n.0.1', '127\r.1', '1\u00ad27.0.0.1', '127.0.0.\u200b1', '\u2060127.1'],
  ...['localhost', 'LOCALHOST', 'LocalHost', 'localhost.', 'LOCALHOST.', 'localhost%2e', 'localhost。', 'localhost｡'],
  ...[
    'ｌｏｃａｌｈｏｓｔ',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    '𝓵ocalhost',
    'loca%6chost',
    '%6c%6f%63%61%6c%68%6f%73%74',
    'local\u00adhost',
    'lo\tcalhost',
  ],
  ...[
    'loc\u1d2c\u02e1host',
    'localho\u017ft',
    'a.localhost',
    'galaxy.localhost.',
    'a.b.LOCALHOST',
    'localhost.localdomain',
  ],
  ...['localhost4', 'localhost6.localdomain6', 'ip6-localhost', 'ip6-loopback'],
  ...[
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::0001]',
    '[0::1]',
    '[::0.0.0.1]',
    '[::]',
  ],
  ...['[0:0:0:0:0:0:0:0]', '[::0.0.0.0]', '[::\t1]', '[0::0:1]'],
  ...[
    '[::ffff:127.0.0.1]',
    '[::FFFF:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::ffff:7f00:0001]',
    '[0:0:0:0:0:ffff:127.0.0.1]',
  ],
  ...['[0000:0000:0000:0000:0000:ffff:7f00:0001]', '[::ffff:127.1.2.3]', '[::ffff:0.0.0.0]', '[::ffff:0:0]'],
]

/** Ways to write a URL around its host. */
const LOOPBACK_URLS = [
  'https://127.0.0.1:*',
  'HTTP://127.0.0.1:*/',
  'http:127.0.0.1:*',
  'http:/127.0.0.1:*',
  'http:\\\\127.0.0.1:*\\a',
]

/** URLs of loopback listeners at a port, written by hand. */
export function LOOPBACK_SPELLINGS(port: number): string[] {
  return [...LOOPBACK_HOSTS.map((host) => `http://${host}:*/`), ...LOOPBACK_URLS].map((url) =>
    url.replace('*', String(port)),
  )
}
