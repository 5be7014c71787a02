import { request as send } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { type BenchRequest, bodyBytesOf, readBytes } from '../../../laboratory/bench/request.ts'
import { benchFormsOf } from '../../../laboratory/suite/forms/index.ts'
import { CASES } from '../../../laboratory/suite/suite.ts'
import { shareGalaxy } from '../prepared-state.ts'

// The forms of the bench, sent as they are.

const galaxy = shareGalaxy()

it('gives each form the verdict that it names', async () => {
  const wanted: string[] = []
  const told: string[] = []
  for (const spec of CASES) {
    for (const { name, verdict, request } of benchFormsOf(spec)) {
      // Without a client that follows it, a redirect is not judged.
      if (spec.redirect && verdict === 'pass') continue
      wanted.push(`${spec.id}, ${name}: ${verdict}`)
      const answer = JSON.parse(await answerTo(request))
      told.push(`${spec.id}, ${spec.level === 'open' ? answer.reason : name}: ${answer.verdict}`)
    }
  }
  expect(wanted.length).toBeGreaterThan(400)
  expect(told).toEqual(wanted)
})

/** Sends a request without a parser of URLs. */
async function answerTo(request: BenchRequest): Promise<string> {
  const { method, target, headers } = request
  const { hostname, port } = new URL(galaxy.url)
  const sent = headers.map(([name, value]) => [name, Buffer.from(readBytes(value)).toString('latin1')])
  const options = { hostname, port, method, path: `/lab/try${target}`, headers: Object.fromEntries(sent) }
  return await new Promise((resolve, reject) => {
    const body = bodyBytesOf(request)
    send(options, (response) => resolve(text(response)))
      .on('error', reject)
      .end(body.length > 0 ? body : undefined)
  })
}
