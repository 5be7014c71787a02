import { membersOf } from '../../../src/lib/objects.ts'
import { PLANET_TYPES, SATELLITE_TYPES } from '../../../src/schemas/celestial-body.ts'
import { refer } from '../references.ts'
import type { Schema } from '../types.ts'

/**
 * Says which schema each value of `type` means. A body without a type is read as a planet (`defaultMapping`, OpenAPI
 * 3.2, section 4.25). The members of the schema itself stay, because a body of each kind can have all of them. The
 * choice is `anyOf` and not `oneOf`, because a planet without a type fits the schema of a satellite too.
 */
export function withKindsOfBodies(schemas: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const { CelestialBody } = schemas
  if (!CelestialBody) return { ...schemas }
  const { examples: _examples, xml: _xml, ...body } = CelestialBody
  const withType = (type: Schema, description: string): Schema => ({
    ...body,
    properties: { ...membersOf(body.properties), type },
    description,
  })
  const kinds = [
    { name: 'Planet', types: PLANET_TYPES },
    { name: 'SatelliteDetail', types: SATELLITE_TYPES },
    { name: 'Star', types: ['star'] },
  ].map(({ name, types }) => ({ reference: refer('schemas', name), types }))
  const mapping = kinds.flatMap(({ reference, types }) => types.map((type) => [type, reference.$ref]))
  return {
    ...schemas,
    CelestialBody: {
      ...CelestialBody,
      anyOf: kinds.map(({ reference }) => reference),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(mapping),
        defaultMapping: refer('schemas', 'Planet').$ref,
      },
    },
    SatelliteDetail: withType({ ...refer('schemas', 'SatelliteKind') }, 'A satellite that is read by itself'),
    Star: { ...withType({ type: 'string', const: 'star' }, 'A star'), required: ['id', 'name', 'type', 'lastUpdated'] },
  }
}
