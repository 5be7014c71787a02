import { describe, expect, it } from 'vitest'
import { HeldConnections, isAtEdge } from '../../../src/events/held-connections.ts'

/** Holds a connection. */
function hold(connections: HeldConnections, hub: string, id: string) {
  const cutting = new AbortController()
  const ended = connections.hold(hub, id, cutting)
  return { ended, isCut: () => cutting.signal.aborted }
}

describe('a held connection', () => {
  it('ends when it is cut, and no other does', async () => {
    const connections = new HeldConnections()
    const cut = hold(connections, 'a', '1')
    const others = [hold(connections, 'a', '2'), hold(connections, 'b', '1')]
    connections.cut('a', '1')
    await cut.ended
    expect(cut.isCut()).toBe(true)
    expect(others.map(({ isCut }) => isCut())).toEqual([false, false])
    connections.cut('a', '2')
    connections.cut('b', '1')
    await Promise.all(others.map(({ ended }) => ended))
  })

  it('is cut if its hub does not have it after a new start', async () => {
    const connections = new HeldConnections()
    const [lost, kept, ofOtherHub] = [
      hold(connections, 'a', '1'),
      hold(connections, 'a', '2'),
      hold(connections, 'b', '1'),
    ]
    connections.cutOthers('a', new Set(['2']))
    await lost.ended
    expect([lost.isCut(), kept.isCut(), ofOtherHub.isCut()]).toEqual([true, false, false])
    connections.cutOthers('a', new Set())
    connections.cutOthers('b', new Set())
    await Promise.all([kept.ended, ofOtherHub.ended])
  })

  it('that does not exist is ignored', () => {
    const connections = new HeldConnections()
    connections.cut('a', '1')
    connections.cutOthers('a', new Set(['1']))
  })
})

describe('a request', () => {
  it.each<[Record<string, string>, boolean]>([
    [{}, false],
    [{ 'CF-Connecting-IP': '192.0.2.1' }, false],
    [{ 'CF-Ray': '8f0d1c2b3a495867-FRA' }, true],
  ])('with %o comes through the edge: %s', (headers, expected) => {
    expect(isAtEdge(new Headers(headers))).toBe(expected)
  })
})
