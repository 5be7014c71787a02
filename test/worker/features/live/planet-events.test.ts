import { describe, expect, it } from 'vitest'
import { createAccount, createClient, createPlanet } from '../../../support/app.ts'
import { expectDocumentedFrame } from '../../../support/live-conformance.ts'
import { openSocket } from '../../../support/sockets.ts'

const client = createClient()
const account = await createAccount(client)

describe('a socket of a planet', () => {
  it('is acknowledged, and hears what happens to the planet', async () => {
    const { id } = await createPlanet(client, account, { name: 'Arrakis' })
    const { socket, until } = await openSocket(client, `planets/${id}/events`)
    await until(1)
    await client.sendJson('PUT', `/planets/${id}`, { name: 'Dune' }, account)
    const [acknowledgement = '', updated = ''] = await until(2)
    expect(JSON.parse(acknowledgement)).toMatchObject({ status: 'subscribed' })
    expect(JSON.parse(updated)).toMatchObject({ eventType: 'planet.updated', planet: { name: 'Dune' } })
    expectDocumentedFrame('planetEvents', updated)
    socket.close()
  })
})
