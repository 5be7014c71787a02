import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { describeEvents } from '../../../documents/asyncapi/document.ts'
import type { AsyncDocument } from '../../../documents/asyncapi/types.ts'
import { basePathOf } from '../../../src/domain/base-url.ts'
import { eventDocumentAt } from '../../../src/features/documents/event-servers.ts'
import { createClient } from '../../support/app.ts'
import { ADDRESSES, OTHER_URL, publishedAt } from '../../support/world.ts'

const client = createClient()

/** The text of a document. The runtime warns if a body of YAML is read as a text. */
async function textAt(url: string, from = client): Promise<string> {
  return new TextDecoder().decode(await (await from.get(url)).bytes())
}

async function documentOf(baseUrl: string, from = client): Promise<AsyncDocument> {
  return JSON.parse(await textAt(`${baseUrl}/asyncapi.json`, from))
}

describe('the AsyncAPI document', () => {
  it.each(['json', 'yaml'])('in %s has its media type, whatever the client accepts', async (suffix) => {
    const response = await client.get(`/asyncapi.${suffix}`, { Accept: 'image/png' })
    expect(response.status).toBe(200)
    expect(response.headers.get('Content-Type')).toBe(`application/${suffix}`)
  })

  it('matches the code, and is the same in YAML, at every address', async () => {
    const text = JSON.stringify(describeEvents('published'))
    for (const origin of ADDRESSES) {
      const document = await documentOf(origin)
      expect(document).toEqual(JSON.parse(eventDocumentAt(text, origin)))
      expect(parse(await textAt(`${origin}/asyncapi.yaml`))).toEqual(document)
    }
  })

  it('has no anchors in YAML, because few tools support them', async () => {
    expect(await textAt('/asyncapi.yaml')).not.toMatch(/: [&*][a-z]\w*$/m)
  })

  it('names the host, the path and the protocol of the address that the caller uses', async () => {
    for (const origin of ADDRESSES) expectServersAt(origin, await documentOf(origin))
  })

  it('names those of the public address, if there is one', async () => {
    const published = createClient({ config: { publicUrl: 'https://api.example.org' } })
    expectServersAt(publishedAt('https://api.example.org', OTHER_URL), await documentOf(OTHER_URL, published))
  })
})

function expectServersAt(baseUrl: string, { servers, info, id }: AsyncDocument): void {
  const { host, protocol } = new URL(baseUrl)
  const common = { host, protocol: protocol === 'https:' ? 'wss' : 'ws' }
  expect(servers).toEqual({
    v1: expect.objectContaining({ ...common, pathname: `${basePathOf(baseUrl)}/ws/v1` }),
    v2: expect.objectContaining({ ...common, pathname: `${basePathOf(baseUrl)}/ws/v2` }),
  })
  expect(info.externalDocs).toMatchObject({ url: `${baseUrl}/docs/events` })
  expect(id).toBe(`${baseUrl}/asyncapi.json`)
}
