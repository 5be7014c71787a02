import { createHmac } from 'node:crypto'
import { type Check, checks, type Setting } from '../check.ts'
import { expectProblem, isSame } from '../expectations.ts'
import { Failure } from '../failure.ts'
import { type Call, makeInbox } from '../inbox.ts'
import { noteSecret } from '../secrets.ts'
import { findFault, PLANET, type Shape } from '../shapes.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'

/** Makes a predicate: whether a call is about this event. */
export const isEvent =
  (event: string) =>
  ({ headers }: Call): boolean =>
    headers.get('x-galaxy-event') === event

/** A call as text. Reports show it in place of the request. */
const describeCall = ({ method, path, body }: Call): string => `${method} ${path} (received)\n  ${body}`

/** A call is a POST of a planet in JSON. @returns The planet */
export function readPlanet(call: Call, shape: Shape = PLANET) {
  const what = describeCall(call)
  if (call.method !== 'POST') throw new Failure('a POST', call.method, what)
  const type = call.headers.get('content-type') ?? 'none'
  if (!/^application\/json(;|$)/.test(type)) throw new Failure('Content-Type: application/json', type, what)
  const planet = JSON.parse(call.body)
  const fault = findFault(planet, shape)
  if (fault) throw new Failure(`a call with ${shape.title}`, `${fault}: ${call.body}`, what)
  return planet
}

export function expectPlanet(call: Call, expected: unknown): void {
  const planet = readPlanet(call)
  if (!isSame(planet, expected)) throw new Failure(JSON.stringify(expected), call.body, describeCall(call))
}

async function checkCreated({ world }: Setting) {
  const receiver = (await world.inbox()).receiver()
  const { id } = await world.makePlanet({ description: 'Dune', successCallbackUrl: receiver.url })
  const planet = (await world.get(`/planets/${id}`)).expectStatus(200).json()
  expectPlanet(await receiver.expectCall('a call planetCreated'), planet)
}

const FAILED: Shape = {
  title: 'the planet as it was sent, and errors',
  type: 'object',
  required: ['name', 'errors'],
  properties: {
    name: { const: 'Arrakis' },
    habitabilityIndex: { const: 2 },
    errors: {
      type: 'array',
      minItems: 1,
      items: { type: 'object', required: ['pointer'], properties: { pointer: { const: '/habitabilityIndex' } } },
    },
  },
}

async function checkFailed({ world }: Setting) {
  const receiver = (await world.inbox()).receiver()
  const json = { name: 'Arrakis', habitabilityIndex: 2, failureCallbackUrl: receiver.url }
  expectProblem(await world.post('/planets', { as: await world.credential(), json }), 400)
  readPlanet(await receiver.expectCall('a call planetCreationFailed'), FAILED)
}

async function checkExploded({ world }: Setting) {
  const receiver = (await world.inbox()).receiver()
  const { id } = await world.makePlanet({ successCallbackUrl: receiver.url })
  const answer = await world.post(`/planets/${id}/explode`, { as: await world.credential() })
  const planet = answer.expectStatus(200).json(PLANET)
  expectProblem(await world.get(`/planets/${id}`), 404)
  expectPlanet(await receiver.expectCall('a call planetExploded', isEvent('planetExploded')), planet)
}

/** After a 204 the receiver is told nothing more about the planet. */
async function checkNoFurther({ world }: Setting) {
  const receiver = (await makeInbox(world, { status: 204 })).receiver()
  const { id } = await world.makePlanet({ successCallbackUrl: receiver.url })
  await receiver.expectCall('a call planetCreated')
  const as = await world.credential()
  const hasDelivery = async (event: string, status: string) => {
    const answer = await world.get(`/deliveries?planetId=${id}&event=${event}&status=${status}`, { as })
    return answer.expectStatus(200).json().data.length > 0 ? true : undefined
  }
  const isAccepted = await until(() => hasDelivery('planetCreated', 'delivered'), world.timeoutMs)
  if (!isAccepted) throw new Failure('a delivery with the status delivered after a 204', 'none')
  ;(await world.post(`/planets/${id}/explode`, { as })).expectStatus(200)
  const isPending = await hasDelivery('planetExploded', 'pending')
  const isExploded = (await receiver.calls()).some(isEvent('planetExploded'))
  if (isPending || isExploded) throw new Failure('no call after a 204', 'a call about the explosion')
}

/** The signature is over the exact bytes, with the secret as it is written. */
async function checkSignature({ world }: Setting) {
  const { call, secret } = await receiveSigned(world, 'Arrakis 🪐')
  expectSignature(call, secret)
}

/** The call about a new planet, and the secret that signs it. */
async function receiveSigned(world: World, name: string): Promise<{ call: Call; secret: string }> {
  const answer = await world.get('/me/signing-secret', { as: await world.credential() })
  const { secret } = answer.expectStatus(200).json()
  noteSecret(secret)
  const receiver = (await world.inbox()).receiver()
  await world.makePlanet({ name, successCallbackUrl: receiver.url })
  return { call: await receiver.expectCall('a call planetCreated'), secret }
}

export function expectSignature(call: Call, secret: string): void {
  const expected = createHmac('sha256', secret).update(call.body).digest('base64')
  const signature = call.headers.get('x-signature') ?? 'none'
  if (signature !== expected)
    throw new Failure(`x-signature: ${expected}`, `x-signature: ${signature}`, describeCall(call))
}

/** Standard Webhooks: the id, the time and the body, with the decoded secret. */
async function checkStandardSignature({ world }: Setting) {
  const { call, secret } = await receiveSigned(world, 'Arrakis')
  const { headers, body } = call
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signed = `${headers.get('webhook-id')}.${headers.get('webhook-timestamp')}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
  const signatures = headers.get('webhook-signature') ?? 'none'
  if (!signatures.split(' ').includes(expected)) throw new Failure(`webhook-signature: ${expected}`, signatures)
}

/** If the request has no credentials, it is refused, and its `failureCallbackUrl` is not called. */
async function checkNobody({ world }: Setting) {
  const receiver = (await world.inbox()).receiver()
  const json = { name: 'Arrakis', habitabilityIndex: 2, failureCallbackUrl: receiver.url }
  expectProblem(await world.post('/planets', { json }), 401)
  // Once a later call has arrived, an earlier one would have arrived too.
  const later = (await world.inbox()).receiver()
  await world.makePlanet({ successCallbackUrl: later.url })
  await later.expectCall('a call planetCreated')
  if ((await receiver.calls()).length > 0) throw new Failure('no call for a request without credentials', 'a call')
}

export const callbackChecks: Check[] = checks('Events', [
  ['planetCreated', checkCreated],
  ['planetCreationFailed', checkFailed],
  ['planetExploded', checkExploded],
  ['204: the receiver wants no further updates', checkNoFurther],
  ['nobody is called without credentials', checkNobody],
  ['signature x-signature: HMAC with SHA-256, in base64', checkSignature],
  ['signature webhook-signature (Standard Webhooks)', checkStandardSignature],
])
