import { describe, expect, it } from 'vitest'
import { UNIVERSE_HOST } from '../support/world.ts'
import { bodyOf, configure, hostUrlOf, makeUniverse, replaceServices, useWorlds, worldAt } from '../support/worlds.ts'

useWorlds()

/** Sets PUBLIC_URL for the rest of a test. */
function publishAt(publicUrl: string): void {
  configure({ publicUrl })
  replaceServices({ baseUrlOf: () => publicUrl })
}

describe('a universe of a service whose PUBLIC_URL is below UNIVERSE_HOST', () => {
  it('has its address by path there', async () => {
    const publicUrl = `http://www.${UNIVERSE_HOST}`
    configure({ universeHost: UNIVERSE_HOST })
    publishAt(publicUrl)
    const made = await makeUniverse()
    expect(made.url).toBe(`${publicUrl}/u/${made.id}`)
    const response = await made.own('POST', '/planets', { name: 'Mine' })
    expect(response.status).toBe(201)
    expect(response.headers.get('Location')).toMatch(made.url)
    // A token counts at both addresses.
    const byHost = worldAt(hostUrlOf(made), made.id)
    expect((await byHost.sendJson('POST', '/planets', { name: 'Mine' }, made.token)).status).toBe(201)
    await made.own('DELETE', '/universe')
    expect(await bodyOf(await made.send('/planets'))).toMatchObject({
      type: `${publicUrl}/problems/universe-ended`,
    })
  })
})

it.each([undefined, 'https://galaxy.example'])(
  'a request to a universe with a Host that is not valid is 400 if PUBLIC_URL is %s',
  async (publicUrl) => {
    const { id } = await makeUniverse()
    if (publicUrl !== undefined) publishAt(publicUrl)
    const response = await worldAt(`http://a"b/u/${id}`, id).send('/planets')
    expect(response.status).toBe(400)
    expect(await bodyOf(response)).toMatchObject({ detail: expect.stringContaining('Host') })
  },
)

it.each(['a@evil.example', 'galaxy.test/planets?', 'evil.example#'])(
  'a request that says Host: %s is 400, whichever universe its URL leads to, and does not move its end',
  async (host) => {
    const { url, id } = await makeUniverse()
    const response = await worldAt(url, id).send('/planets', { headers: { Host: host } })
    expect(response.status).toBe(400)
    expect(response.headers.get('Sunset')).toBe(null)
    expect(await bodyOf(response)).toMatchObject({ type: 'about:blank', detail: expect.stringContaining('Host') })
  },
)
