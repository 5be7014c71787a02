import { expect, it } from 'vitest'
import { clientNetwork, widerNetwork } from '../../../src/lib/client-address.ts'
import { eachRow } from '../../support/each-row.ts'

it('all addresses of a client are one', () =>
  eachRow(
    [
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
    ],
    ([address, network]) => {
      expect(clientNetwork(address)).toBe(network)
    },
  ))

it('an address is in its network', () =>
  eachRow(
    [
      ['192.0.2.1', '192.0.2.0/24'],
      ['192.0.2.255', '192.0.2.0/24'],
      ['192.0.3.0', '192.0.3.0/24'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
      ['2001:db8:1:ffff::', '2001:db8:1::/48'],
      ['2001:db8:2::1', '2001:db8:2::/48'],
      ['::1', '0:0:0::/48'],
      ['::ffff:192.0.2.1', '192.0.2.0/24'],
      ['unknown', 'unknown'],
      ['', ''],
    ],
    ([address, network]) => {
      expect(widerNetwork(clientNetwork(address))).toBe(network)
    },
  ))
