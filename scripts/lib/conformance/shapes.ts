import { type Schema, Validator } from '@cfworker/json-schema'

// The shapes of bodies, as the interface has them. They are written down here and not taken from the code of the
// service: a suite that imported them would agree with the service also where both are wrong.

/** A JSON Schema (draft 2020-12). */
export type Shape = Schema

/** @returns What is wrong, or undefined */
export function findFault(value: unknown, shape: Shape): string | undefined {
  const { valid, errors } = new Validator(shape, '2020-12').validate(value)
  if (valid) return undefined
  // An error about a member is followed by the errors within this member, so the last one is the most exact.
  const last = errors.at(-1)
  return last ? `${last.instanceLocation.replace(/^#/, '') || '/'}: ${last.error}` : 'it is not valid'
}

const text: Shape = { type: 'string' }
const number: Shape = { type: 'number' }
const id: Shape = { type: 'integer', minimum: 1 }
const dateTime: Shape = { type: 'string', format: 'date-time' }
const url: Shape = { type: 'string', format: 'uri' }

export const USER: Shape = { title: 'a User', type: 'object', required: ['id'], properties: { id, name: text } }

export const SATELLITE: Shape = {
  title: 'a Satellite',
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id,
    name: text,
    description: { type: ['string', 'null'] },
    diameter: number,
    type: text,
    orbit: {
      type: 'object',
      properties: { planet: { type: 'object' }, orbitalPeriod: number, distance: number },
    },
  },
}

/** What planets and other celestial bodies share. */
const BODY_PROPERTIES: Record<string, Shape> = {
  id,
  name: text,
  description: { type: ['string', 'null'] },
  habitabilityIndex: { type: 'number', minimum: 0, maximum: 1 },
  physicalProperties: {
    type: 'object',
    properties: {
      mass: { type: 'number', exclusiveMinimum: 0 },
      radius: { type: 'number', exclusiveMinimum: 0 },
      gravity: number,
      temperature: { type: 'object', additionalProperties: number },
    },
    additionalProperties: number,
  },
  atmosphere: {
    type: 'array',
    items: {
      type: 'object',
      properties: { compound: text, percentage: number },
      additionalProperties: text,
    },
  },
  discoveredAt: dateTime,
  image: { type: ['string', 'null'] },
  satellites: { type: 'array', items: SATELLITE },
  creator: USER,
  tags: { type: 'array', items: text },
  lastUpdated: dateTime,
  successCallbackUrl: url,
  failureCallbackUrl: url,
}

export const PLANET: Shape = {
  title: 'a Planet',
  type: 'object',
  required: ['id', 'name', 'lastUpdated'],
  properties: {
    ...BODY_PROPERTIES,
    type: { enum: ['terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'] },
  },
}

export const CELESTIAL_BODY: Shape = {
  title: 'a CelestialBody',
  type: 'object',
  required: ['id', 'name', 'lastUpdated'],
  properties: { ...BODY_PROPERTIES, type: text },
}

export const TOKEN: Shape = {
  title: 'a Token',
  type: 'object',
  required: ['token'],
  properties: { token: { type: 'string', pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' } },
}

// Each member of an ImageUploadedMessage is a row, so each has a shape of its own.

export const UPLOAD_MESSAGE: Shape = {
  title: 'an ImageUploadedMessage with a message',
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string', minLength: 1 } },
}

export const IMAGE_URL: Shape = {
  title: 'an ImageUploadedMessage with an absolute imageUrl',
  type: 'object',
  required: ['imageUrl'],
  properties: { imageUrl: url },
}

const count: Shape = { type: 'integer', minimum: 0 }

export const PLANET_LIST: Shape = {
  title: 'a page of planets',
  type: 'object',
  required: ['data', 'meta'],
  properties: {
    data: { type: 'array', items: PLANET },
    meta: {
      type: 'object',
      required: ['limit', 'offset', 'total', 'next'],
      properties: {
        limit: { type: 'integer', minimum: 1 },
        offset: count,
        total: count,
        next: { type: ['string', 'null'] },
      },
    },
  },
}

export const PROBLEM: Shape = {
  title: 'an error (RFC 9457)',
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', minLength: 1 },
    title: { type: 'string', minLength: 1 },
    status: { type: 'integer' },
    detail: { type: 'string', minLength: 1 },
    errors: {
      type: 'array',
      items: { type: 'object', required: ['pointer', 'detail'], properties: { pointer: text, detail: text } },
    },
  },
}
