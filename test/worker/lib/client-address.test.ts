import { expect, it } from 'vitest'
import { clientNetwork } from '../../../src/lib/client-address.ts'

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1:2', 'fe80:0:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.2', '192.0.2.2'],
  ['unknown', 'unknown'],
  ['', ''],
  ['not:an:address', 'not:an:address'],
])('%j is one client with all of %j', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})
