/** A field of a planet or another celestial body: values that the service accepts, and values that it refuses. */
export interface Field {
  name: string
  /** Members of the JSON that is sent. The check adds a `name` if they do not contain one. */
  valid: object[]
  invalid: object[]
}

const physical = (properties: unknown) => ({ physicalProperties: properties })
const temperature = (value: unknown) => physical({ temperature: value })
const air = (item: unknown) => ({ atmosphere: [item] })
const satellite = (properties: object) => ({ satellites: [{ name: 'Krelln', ...properties }] })
const orbit = (value: unknown) => satellite({ orbit: value })

/** The fields that every kind of celestial body has. */
export const SHARED_FIELDS: Field[] = [
  {
    name: 'name',
    valid: [{ name: 'Arrakis' }, { name: '007' }],
    invalid: [{ name: 7 }, { name: null }, { name: undefined }],
  },
  { name: 'description', valid: [{ description: 'Dune 🪐' }, { description: null }], invalid: [{ description: 7 }] },
  {
    name: 'habitabilityIndex',
    valid: [0, 0.68, 1].map((habitabilityIndex) => ({ habitabilityIndex })),
    invalid: [-0.1, 1.1, 'high'].map((habitabilityIndex) => ({ habitabilityIndex })),
  },
  { name: 'physicalProperties', valid: [physical({})], invalid: [physical('large'), physical([])] },
  {
    name: 'atmosphere',
    valid: [{ atmosphere: [] }, { atmosphere: [{ compound: 'N2', percentage: 78.1 }, { compound: 'O2' }] }],
    invalid: [{ atmosphere: 'thin' }, { atmosphere: {} }],
  },
  {
    name: 'discoveredAt',
    valid: ['1846-09-23T00:00:00Z', '2024-02-29T23:59:00.5+02:00'].map((discoveredAt) => ({ discoveredAt })),
    invalid: ['yesterday', '1846-02-30T00:00:00Z', 7].map((discoveredAt) => ({ discoveredAt })),
  },
  { name: 'image', valid: [{ image: 'https://example.com/a.png' }, { image: null }], invalid: [{ image: 7 }] },
  {
    name: 'tags',
    valid: [{ tags: [] }, { tags: ['desert', 'spice'] }],
    invalid: [{ tags: 'desert' }, { tags: [7] }],
  },
]

export const PLANET_FIELDS: Field[] = [
  ...SHARED_FIELDS,
  {
    name: 'type',
    valid: ['terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth'].map((type) => ({ type })),
    invalid: [{ type: 'moon' }, { type: 7 }],
  },
  {
    name: 'physicalProperties.mass',
    valid: [physical({ mass: 0.1 })],
    invalid: [0, -1, 'x'].map((mass) => physical({ mass })),
  },
  {
    name: 'physicalProperties.radius',
    valid: [physical({ radius: 11.2 })],
    invalid: [0, -1, 'x'].map((radius) => physical({ radius })),
  },
  { name: 'physicalProperties.gravity', valid: [physical({ gravity: 0.9 })], invalid: [physical({ gravity: 'x' })] },
  { name: 'physicalProperties.temperature', valid: [temperature({})], invalid: [temperature(7)] },
  {
    name: 'physicalProperties: more keys, each a number',
    valid: [physical({ 'surface pressure': 1.5 })],
    invalid: [physical({ 'surface pressure': 'high' })],
  },
  ...['min', 'max', 'average'].map((name) => ({
    name: `temperature.${name}`,
    valid: [temperature({ [name]: 287.05 })],
    invalid: [temperature({ [name]: 'cold' })],
  })),
  {
    name: 'temperature: more keys, each a number',
    valid: [temperature({ night: 90 })],
    invalid: [temperature({ night: 'cold' })],
  },
  { name: 'atmosphere.compound', valid: [air({ compound: 'CO2' })], invalid: [air({ compound: 7 })] },
  { name: 'atmosphere.percentage', valid: [air({ percentage: 0.04 })], invalid: [air({ percentage: 'little' })] },
  { name: 'atmosphere: more keys, each a text', valid: [air({ origin: 'volcanoes' })], invalid: [air({ origin: 7 })] },
]

/** Fields of the satellites of a planet, except those that the service sets: `id` and `orbit.planet`. */
export const SATELLITE_FIELDS: Field[] = [
  { name: 'name', valid: [satellite({})], invalid: [satellite({ name: 7 }), satellite({ name: undefined })] },
  {
    name: 'description',
    valid: [satellite({ description: 'small' }), satellite({ description: null })],
    invalid: [satellite({ description: 7 })],
  },
  { name: 'diameter', valid: [satellite({ diameter: 3474.8 })], invalid: [satellite({ diameter: 'small' })] },
  {
    name: 'type',
    valid: ['moon', 'asteroid', 'comet'].map((type) => satellite({ type })),
    invalid: [satellite({ type: 'planet' })],
  },
  { name: 'orbit', valid: [orbit({})], invalid: [orbit('far')] },
  { name: 'orbit.orbitalPeriod', valid: [orbit({ orbitalPeriod: 27.3 })], invalid: [orbit({ orbitalPeriod: 'long' })] },
  { name: 'orbit.distance', valid: [orbit({ distance: 384_400 })], invalid: [orbit({ distance: 'far' })] },
]

/** Types of celestial bodies: those of planets, those of satellites, and stars. */
export const BODY_TYPES: Field = {
  name: 'type',
  valid: ['terrestrial', 'gas_giant', 'ice_giant', 'dwarf', 'super_earth', 'moon', 'asteroid', 'comet', 'star'].map(
    (type) => ({ type }),
  ),
  invalid: [{ type: 'galaxy' }, { type: 7 }],
}
