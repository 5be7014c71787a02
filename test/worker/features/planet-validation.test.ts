import { beforeAll, describe, expect, it } from 'vitest'
import { type Account, bodyOf, type Client, createAccount, createClient, ORIGIN } from '../../support/app.ts'
import { eachRow } from '../../support/each-row.ts'

// What a planet and its satellites may contain: each rule on both sides, through POST /planets.

type Members = Record<string, unknown>

let client: Client
let account: Account

beforeAll(async () => {
  client = createClient()
  account = await createAccount(client)
})

describe('a value at its limit is stored, and returned as it was sent', () => {
  it('of a planet', () =>
    eachRow<[string, Members]>(
      [
        ['a name of one character', { name: 'X' }],
        ['a name of 200 characters', { name: 'x'.repeat(200) }],
        ['a name of 200 emoji', { name: '🪐'.repeat(200) }],
        ['a name that looks like a number', { name: ' 1e3 ' }],
        ['a name with markup, quotes and line separators', { name: '<b>"\\\'& \u2028\u2029\u007F</b>' }],
        ['an empty description', { description: '' }],
        ['a description of 10,000 emoji', { description: '🪐'.repeat(10_000) }],
        ['a description that is null', { description: null }],
        ['the type terrestrial', { type: 'terrestrial' }],
        ['the type gas_giant', { type: 'gas_giant' }],
        ['the type ice_giant', { type: 'ice_giant' }],
        ['the type dwarf', { type: 'dwarf' }],
        ['the type super_earth', { type: 'super_earth' }],
        ['habitability 0', { habitabilityIndex: 0 }],
        ['habitability 1', { habitabilityIndex: 1 }],
        ['the least mass and radius', { physicalProperties: { mass: 5e-324, radius: 5e-324 } }],
        ['the greatest mass', { physicalProperties: { mass: Number.MAX_VALUE } }],
        ['a gravity of 0', { physicalProperties: { gravity: 0 } }],
        ['a negative gravity', { physicalProperties: { gravity: -1 } }],
        ['measurements with other names', { physicalProperties: { 'surface pressure': 1.5, '7': -2, 日: 0 } }],
        [
          'temperatures of any sign',
          { physicalProperties: { temperature: { min: -1, max: 0, average: 1, night: -3 } } },
        ],
        ['50 parts of an atmosphere', { atmosphere: Array.from({ length: 50 }, () => ({ compound: 'CO2' })) }],
        ['percentage 0 and 100', { atmosphere: [{ percentage: 0 }, { percentage: 100 }] }],
        ['percentages of more than 100 together', { atmosphere: [{ percentage: 80 }, { percentage: 80 }] }],
        ['other members of a part', { atmosphere: [{ compound: 'CO2', source: 'guess', note: '' }] }],
        ['a discovery in an unusual form', { discoveredAt: '1610-01-07t00:00:00.12345678901234567890+05:30' }],
        ['a discovery in a leap second', { discoveredAt: '2016-12-31T23:59:60Z' }],
        ['an image that is null', { image: null }],
        ['an empty image', { image: '' }],
        ['an image that is not a URL', { image: 'javascript:alert(1)' }],
        ['an image of 2,048 emoji', { image: '🪐'.repeat(2048) }],
        ['50 tags', { tags: Array.from({ length: 50 }, (_, index) => `tag ${index}`) }],
        ['tags of 1 and 100 characters', { tags: ['x', '🪐'.repeat(100)] }],
        ['a tag twice', { tags: ['far', 'far'] }],
        ['a callback to http', { successCallbackUrl: 'http://example.com' }],
        ['a callback to HTTPS, with everything', { failureCallbackUrl: 'HTTPS://example.com:8443/a?b=c#d' }],
        ['a callback to an address', { successCallbackUrl: 'https://[2606:2800:220:1::1]/' }],
        ['callbacks of 2,048 characters', { successCallbackUrl: urlOf(2048), failureCallbackUrl: urlOf(2048) }],
        [
          'a callback with characters of any script, encoded',
          { successCallbackUrl: 'https://xn--bcher-kva.example/%F0%9F%AA%90' },
        ],
      ],
      async ([, members]) => {
        const sent = planet(members)
        expect(await create(sent)).toEqual({ ...sent, ...serverMembers() })
      },
    ))

  it('of a satellite', () =>
    eachRow<[string, Members]>(
      [
        ['a name of 200 emoji', { name: '🪐'.repeat(200) }],
        ['a description of 10,000 emoji', { description: '🪐'.repeat(10_000) }],
        ['a description that is null', { description: null }],
        ['a description that is empty', { description: '' }],
        ['the type moon', { type: 'moon' }],
        ['the type asteroid', { type: 'asteroid' }],
        ['the type comet', { type: 'comet' }],
        ['a diameter of any sign', { diameter: -1.5 }],
        ['an orbit', { orbit: { orbitalPeriod: 0.319, distance: 9376 } }],
        ['a retrograde orbit', { orbit: { orbitalPeriod: -5.877, distance: 0 } }],
        ['an orbit without figures', { orbit: {} }],
      ],
      async ([, members]) => {
        const sent = { name: 'Luna', ...members }
        const { id, satellites } = await create(planet({ satellites: [sent] }))
        const orbit = 'orbit' in sent && { orbit: { ...(sent.orbit as Members), planet: { id, name: 'Terra' } } }
        expect(satellites).toEqual([{ ...sent, ...orbit, id: expect.any(Number) }])
      },
    ))

  it('100 satellites, in their order, with ids of their own', async () => {
    const names = Array.from({ length: 100 }, (_, index) => `Moon ${index % 7}`)
    const { satellites } = await create(planet({ satellites: names.map((name) => ({ name })) }))
    expect(satellites.map(({ name }: Members) => name)).toEqual(names)
    expect(new Set(satellites.map(({ id }: Members) => id)).size).toBe(100)
  })
})

describe('a value beyond its limit is rejected, with a pointer to it and nothing else', () => {
  it('of a planet', () =>
    eachRow<[string, Members, string]>(
      [
        ['no name', { name: undefined }, '/name'],
        ['an empty name', { name: '' }, '/name'],
        ['a name of 201 characters', { name: 'x'.repeat(201) }, '/name'],
        ['a name of 201 emoji', { name: '🪐'.repeat(201) }, '/name'],
        ['a name that is a number', { name: 7 }, '/name'],
        ['a description of 10,001 characters', { description: 'x'.repeat(10_001) }, '/description'],
        ['a description of 10,001 emoji', { description: '🪐'.repeat(10_001) }, '/description'],
        ['a description that is a list', { description: ['red'] }, '/description'],
        ['the type of a satellite', { type: 'moon' }, '/type'],
        ['the type of a star', { type: 'star' }, '/type'],
        ['a type in capitals', { type: 'DWARF' }, '/type'],
        ['an empty type', { type: '' }, '/type'],
        ['a type that every object has', { type: 'constructor' }, '/type'],
        ['habitability below 0', { habitabilityIndex: -1e-9 }, '/habitabilityIndex'],
        ['habitability above 1', { habitabilityIndex: 1.000000001 }, '/habitabilityIndex'],
        ['habitability as text', { habitabilityIndex: '0.5' }, '/habitabilityIndex'],
        ['physical properties that are a list', { physicalProperties: [] }, '/physicalProperties'],
        ['a mass of 0', { physicalProperties: { mass: 0 } }, '/physicalProperties/mass'],
        ['a negative mass', { physicalProperties: { mass: -5e-324 } }, '/physicalProperties/mass'],
        ['a mass as text', { physicalProperties: { mass: '1' } }, '/physicalProperties/mass'],
        ['a radius of 0', { physicalProperties: { radius: 0 } }, '/physicalProperties/radius'],
        ['a negative radius', { physicalProperties: { radius: -1 } }, '/physicalProperties/radius'],
        ['a gravity that is a boolean', { physicalProperties: { gravity: true } }, '/physicalProperties/gravity'],
        ['another measurement as text', { physicalProperties: { rings: '7' } }, '/physicalProperties/rings'],
        ['another measurement as an object', { physicalProperties: { rings: {} } }, '/physicalProperties/rings'],
        [
          'a temperature that is a number',
          { physicalProperties: { temperature: 210 } },
          '/physicalProperties/temperature',
        ],
        ['a temperature as text', inTemperature({ min: '1' }), '/physicalProperties/temperature/min'],
        ['another temperature as text', inTemperature({ night: '1' }), '/physicalProperties/temperature/night'],
        ['an atmosphere that is an object', { atmosphere: {} }, '/atmosphere'],
        ['51 parts of an atmosphere', { atmosphere: Array.from({ length: 51 }, () => ({})) }, '/atmosphere'],
        ['a part that is text', { atmosphere: [{}, 'CO2'] }, '/atmosphere/1'],
        ['a compound that is a number', { atmosphere: [{ compound: 2 }] }, '/atmosphere/0/compound'],
        ['a percentage below 0', { atmosphere: [{ percentage: -0.001 }] }, '/atmosphere/0/percentage'],
        ['a percentage above 100', { atmosphere: [{ percentage: 100.001 }] }, '/atmosphere/0/percentage'],
        ['a percentage as text', { atmosphere: [{ percentage: '5' }] }, '/atmosphere/0/percentage'],
        ['another member of a part as a number', { atmosphere: [{}, { ppm: 5 }] }, '/atmosphere/1/ppm'],
        ['a discovery without a time', { discoveredAt: '1610-01-07' }, '/discoveredAt'],
        ['a discovery on a day that does not exist', { discoveredAt: '1610-02-29T00:00:00Z' }, '/discoveredAt'],
        ['a discovery as a number', { discoveredAt: 0 }, '/discoveredAt'],
        ['an empty discovery', { discoveredAt: '' }, '/discoveredAt'],
        ['an image of 2,049 characters', { image: 'x'.repeat(2049) }, '/image'],
        ['an image that is an object', { image: {} }, '/image'],
        ['tags that are text', { tags: 'far' }, '/tags'],
        ['51 tags', { tags: Array.from({ length: 51 }, (_, index) => `tag ${index}`) }, '/tags'],
        ['an empty tag', { tags: ['far', ''] }, '/tags/1'],
        ['a tag of 101 characters', { tags: ['🪐'.repeat(101)] }, '/tags/0'],
        ['a tag that is null', { tags: [null] }, '/tags/0'],
        ['a callback with a password', { failureCallbackUrl: 'https://u:p@example.com/' }, '/failureCallbackUrl'],
        ['a callback to a private address', { successCallbackUrl: 'https://[::1]/' }, '/successCallbackUrl'],
        ['an empty callback', { successCallbackUrl: '' }, '/successCallbackUrl'],
        ['a callback to another protocol', { successCallbackUrl: 'ftp://example.com/' }, '/successCallbackUrl'],
        ['a callback to a script', { failureCallbackUrl: 'javascript:alert(1)' }, '/failureCallbackUrl'],
        ['a callback to a path', { failureCallbackUrl: '/hook' }, '/failureCallbackUrl'],
        ['a callback without a protocol', { failureCallbackUrl: '//example.com/hook' }, '/failureCallbackUrl'],
        ['a callback without a host', { successCallbackUrl: 'https://' }, '/successCallbackUrl'],
        ['a callback without slashes', { successCallbackUrl: 'https:example.com' }, '/successCallbackUrl'],
        ['a callback with three slashes', { successCallbackUrl: 'http:///example.com' }, '/successCallbackUrl'],
        ['a callback with a tab inside', { successCallbackUrl: 'https://exa\tmple.com' }, '/successCallbackUrl'],
        ['a callback with a line end', { successCallbackUrl: 'https://example.com/\n' }, '/successCallbackUrl'],
        [
          'a callback with a space in the path',
          { successCallbackUrl: 'https://example.com/a b' },
          '/successCallbackUrl',
        ],
        ['a callback with a space in the host', { successCallbackUrl: 'https://exa mple.com' }, '/successCallbackUrl'],
        ['a callback to an invalid port', { successCallbackUrl: 'https://example.com:65536/' }, '/successCallbackUrl'],
        ['a callback with an emoji', { successCallbackUrl: 'https://example.com/🪐' }, '/successCallbackUrl'],
        [
          'a callback to a host with an umlaut',
          { successCallbackUrl: 'https://bücher.example/' },
          '/successCallbackUrl',
        ],
        ['a callback of 2,049 characters', { successCallbackUrl: urlOf(2049) }, '/successCallbackUrl'],
        ['another callback of 2,049 characters', { failureCallbackUrl: urlOf(2049) }, '/failureCallbackUrl'],
        ['satellites that are an object', { satellites: {} }, '/satellites'],
        ['101 satellites', { satellites: Array.from({ length: 101 }, () => ({ name: 'Luna' })) }, '/satellites'],
        ['a satellite that is text', { satellites: ['Luna'] }, '/satellites/0'],
        ['a satellite that is null', { satellites: [null] }, '/satellites/0'],
      ],
      async ([, members, pointer]) => {
        expect(await pointersOf(planet(members))).toEqual([pointer])
      },
    ))

  it('of a satellite', () =>
    eachRow<[string, Members, string]>(
      [
        ['no name', { name: undefined }, '/name'],
        ['an empty name', { name: '' }, '/name'],
        ['a name of 201 emoji', { name: '🪐'.repeat(201) }, '/name'],
        ['a name that is null', { name: null }, '/name'],
        ['a description of 10,001 characters', { description: 'x'.repeat(10_001) }, '/description'],
        ['the type of a planet', { type: 'dwarf' }, '/type'],
        ['a type that is null', { type: null }, '/type'],
        ['a diameter as text', { diameter: '1' }, '/diameter'],
        ['a diameter that is null', { diameter: null }, '/diameter'],
        ['an orbit that is a number', { orbit: 1 }, '/orbit'],
        ['an orbit that is null', { orbit: null }, '/orbit'],
        ['a period as text', { orbit: { orbitalPeriod: '1' } }, '/orbit/orbitalPeriod'],
        ['a distance that is null', { orbit: { distance: null } }, '/orbit/distance'],
      ],
      async ([, members, pointer]) => {
        const satellites = [{ name: 'Luna' }, { name: 'Luna', ...members }]
        expect(await pointersOf(planet({ satellites }))).toEqual([`/satellites/1${pointer}`])
      },
    ))

  it('a body that is no planet', () =>
    eachRow(
      [
        ['a list', '[]'],
        ['a list of planets', '[{"name":"Terra"}]'],
        ['text', '"Terra"'],
        ['a number', '7'],
        ['null', 'null'],
      ],
      async ([, text]) => {
        expect(await pointersOf(text)).toEqual([''])
      },
    ))

  it('PUT has the same rules', async () => {
    const { id } = await create(planet({}))
    const response = await client.sendJson('PUT', `/planets/${id}`, { name: '', tags: [''], mass: 1 }, account)
    expect(response.status).toBe(400)
    expect(sortedPointers(await bodyOf(response))).toEqual(['/mass', '/name', '/tags/0'])
  })
})

describe('all errors are reported at once', () => {
  it.each([
    [100, 100],
    [101, 100],
  ])('of %i errors %i are reported, so that the response does not grow with the body', async (sent, told) => {
    const unknown = Object.fromEntries(Array.from({ length: sent }, (_, index) => [`unknown${index}`, index]))
    expect((await refusalOf({ name: 'Broken', ...unknown })).errors).toHaveLength(told)
  })

  it('each with its pointer and its message', async () => {
    const problem = await refusalOf({
      description: 1,
      type: 'star',
      habitabilityIndex: 2,
      physicalProperties: { mass: 0, radius: -1, gravity: 'g', rings: null, temperature: { min: 'cold', max: null } },
      atmosphere: [{ compound: 1, percentage: 101, other: 2 }, 3],
      discoveredAt: 'once',
      image: 5,
      tags: ['', 'ok', 7],
      successCallbackUrl: 'mailto:a@example.com',
      failureCallbackUrl: null,
      satellites: [{ type: 'star' }, { name: '', diameter: 'x', orbit: { distance: 'far', orbitalPeriod: [] } }],
      colour: 'red',
      weight: 1,
    })
    expect(sortedPointers(problem)).toEqual(
      [
        '/name',
        '/description',
        '/type',
        '/habitabilityIndex',
        '/physicalProperties/mass',
        '/physicalProperties/radius',
        '/physicalProperties/gravity',
        '/physicalProperties/rings',
        '/physicalProperties/temperature/min',
        '/physicalProperties/temperature/max',
        '/atmosphere/0/compound',
        '/atmosphere/0/percentage',
        '/atmosphere/0/other',
        '/atmosphere/1',
        '/discoveredAt',
        '/image',
        '/tags/0',
        '/tags/2',
        '/successCallbackUrl',
        '/failureCallbackUrl',
        '/satellites/0/name',
        '/satellites/0/type',
        '/satellites/1/name',
        '/satellites/1/diameter',
        '/satellites/1/orbit/distance',
        '/satellites/1/orbit/orbitalPeriod',
        '/colour',
        '/weight',
      ].sort(),
    )
    for (const { detail } of problem.errors) expect(detail).toMatch(/\w/)
  })

  it('a reserved name and a wrong value in the same object', async () => {
    const physicalProperties = { mass: 'heavy', constructor: 1, '': 2, temperature: { min: 'cold', prototype: 3 } }
    expect(await pointersOf(planet({ physicalProperties }))).toEqual([
      '/physicalProperties/',
      '/physicalProperties/constructor',
      '/physicalProperties/mass',
      '/physicalProperties/temperature/min',
      '/physicalProperties/temperature/prototype',
    ])
  })

  it('a list that is too long and a wrong item in it', async () => {
    const tags = ['', ...Array.from({ length: 50 }, (_, index) => `tag ${index}`)]
    expect(await pointersOf(planet({ tags }))).toEqual(['/tags', '/tags/0'])
  })
})

describe('an unknown member of a planet is rejected', () => {
  it('whatever its name', () =>
    eachRow(
      [
        ['a word', 'colour', '/colour'],
        ['a misspelling', 'Name', '/Name'],
        ['characters that a pointer escapes', 'a/b~c', '/a~1b~0c'],
        ['a number', '0', '/0'],
        ['nothing', '', '/'],
        ['constructor', 'constructor', '/constructor'],
        ['prototype', 'prototype', '/prototype'],
        ['toString', 'toString', '/toString'],
        ['characters beyond ASCII', 'größe 🪐', '/größe 🪐'],
      ],
      async ([, key, pointer]) => {
        expect(await pointersOf(planet({ [key]: 1 }))).toEqual([pointer])
      },
    ))

  it('with any value', async () => {
    for (const value of [null, [], {}, '', false])
      expect(await pointersOf(planet({ colour: value }))).toEqual(['/colour'])
  })
})

describe('an additional name that is dangerous for a reader is rejected', () => {
  it('whatever it is', () =>
    eachRow(
      [
        ['{"__proto__":1}', '__proto__'],
        ['{"constructor":1}', 'constructor'],
        ['{"prototype":1}', 'prototype'],
        ['{"":1}', ''],
      ],
      async ([object, key]) => {
        const text = object.replace(':1', ':"1"')
        expect(await pointersOf(`{"name":"Terra","physicalProperties":${object}}`)).toEqual([
          `/physicalProperties/${key}`,
        ])
        expect(await pointersOf(`{"name":"Terra","physicalProperties":{"temperature":${object}}}`)).toEqual([
          `/physicalProperties/temperature/${key}`,
        ])
        expect(await pointersOf(`{"name":"Terra","atmosphere":[{},${text}]}`)).toEqual([`/atmosphere/1/${key}`])
      },
    ))

  it('__proto__ everywhere else', async () => {
    expect(await pointersOf('{"name":"Terra","__proto__":{"type":"dwarf"}}')).toEqual(['/__proto__'])
    expect(await pointersOf('{"name":"Terra","satellites":[{"name":"Luna","__proto__":{}}]}')).toEqual([
      '/satellites/0/__proto__',
    ])
  })

  it('but a name that every object has is accepted', async () => {
    const physicalProperties = { toString: 1, hasOwnProperty: 2, valueOf: 3, temperature: { toString: 4 } }
    const atmosphere = [{ toString: 'x', hasOwnProperty: 'y' }]
    const stored = await create(planet({ physicalProperties, atmosphere }))
    expect(stored).toMatchObject({ physicalProperties, atmosphere })
  })
})

describe('a character that no format can carry is rejected', () => {
  it('in any text', () =>
    eachRow(
      [
        ['U+0000', '{"name":"a\\u0000"}', '/name'],
        ['a lone surrogate', '{"name":"Terra","tags":["\\ud83e"]}', '/tags/0'],
        ['U+FFFE', '{"name":"Terra","satellites":[{"name":"\\ufffe"}]}', '/satellites/0/name'],
        ['a control in a name', '{"name":"Terra","physicalProperties":{"a\\u0001":1}}', '/physicalProperties'],
      ],
      async ([, text, pointer]) => {
        expect(await pointersOf(text)).toEqual([pointer])
      },
    ))
})

describe('only the description and the image can be null', () => {
  it('no other member of a planet', () =>
    eachRow(
      [
        'name',
        'type',
        'habitabilityIndex',
        'physicalProperties',
        'atmosphere',
        'discoveredAt',
        'satellites',
        'tags',
        'successCallbackUrl',
        'failureCallbackUrl',
      ],
      async (key) => {
        expect(await pointersOf(planet({ [key]: null }))).toEqual([`/${key}`])
      },
    ))

  it('no measurement', () =>
    eachRow(['mass', 'radius', 'gravity', 'temperature', 'rings'], async (key) => {
      expect(await pointersOf(planet({ physicalProperties: { [key]: null } }))).toEqual([`/physicalProperties/${key}`])
    }))

  it('nothing in the atmosphere', () =>
    eachRow(['compound', 'percentage', 'source'], async (key) => {
      expect(await pointersOf(planet({ atmosphere: [{ [key]: null }] }))).toEqual([`/atmosphere/0/${key}`])
    }))
})

describe('absent members stay absent, and empty ones stay empty', () => {
  it('a planet with only a name', async () => {
    expect(await create({ name: 'Terra' })).toEqual({ name: 'Terra', ...serverMembers() })
  })

  it('a planet with empty members', async () => {
    const sent = planet({
      description: '',
      physicalProperties: {},
      atmosphere: [],
      image: '',
      satellites: [],
      tags: [],
    })
    expect(await create(sent)).toEqual({ ...sent, ...serverMembers() })
  })

  it('empty members inside', async () => {
    const sent = planet({ physicalProperties: { temperature: {} }, atmosphere: [{}, {}] })
    expect(await create(sent)).toEqual({ ...sent, ...serverMembers() })
  })

  it('a description and an image that are null', async () => {
    const sent = planet({ description: null, image: null })
    expect(await create(sent)).toEqual({ ...sent, ...serverMembers() })
  })
})

describe('a number is returned as it was sent', () => {
  const numbers = [
    '0',
    '-1',
    '0.1',
    '0.30000000000000004',
    '1e21',
    '1E-7',
    '123456789012345680',
    '9007199254740993',
    '9223372036854775808',
    '5e-324',
    '2.2250738585072014e-308',
    '1.7976931348623157e308',
    '-1.7976931348623157e308',
    '3.141592653589793238462643383279',
  ]

  it('whatever its form', () =>
    eachRow(numbers, async (number) => {
      const stored = await create(
        `{"name":"Terra","physicalProperties":{"gravity":${number},"other":${number},"temperature":{"min":${number}}},
        "satellites":[{"name":"Luna","diameter":${number},"orbit":{"distance":${number}}}]}`,
      )
      const value = Number(number)
      expect(stored).toMatchObject({
        physicalProperties: { gravity: value, other: value, temperature: { min: value } },
        satellites: [{ diameter: value, orbit: { distance: value } }],
      })
    }))

  it('except one beyond the range of a double, which is rejected', async () => {
    expect(
      await pointersOf(
        `{"name":"Terra","physicalProperties":{"mass":1e400,"gravity":-1e400,"rings":1e400,"temperature":{"max":1e309}},
          "satellites":[{"name":"Luna","diameter":1e400,"orbit":{"distance":1e400}}]}`,
      ),
    ).toEqual([
      '/physicalProperties/gravity',
      '/physicalProperties/mass',
      '/physicalProperties/rings',
      '/physicalProperties/temperature/max',
      '/satellites/0/diameter',
      '/satellites/0/orbit/distance',
    ])
  })
})

describe('members that the server sets are ignored in a request, whatever their value', () => {
  it('of any type', () =>
    eachRow<[string, unknown]>(
      [
        ['null', null],
        ['a number', -1],
        ['text', 'mine'],
        ['a list', [1, [2]]],
        ['an object', { id: 1, name: 'Galaxy', constructor: { toString: null } }],
      ],
      async ([, value]) => {
        const sent = {
          name: 'Terra',
          id: value,
          creator: value,
          lastUpdated: value,
          satellites: [{ name: 'Luna', id: value }],
        }
        const stored = await create(sent)
        expect(stored).toMatchObject(serverMembers())
        expect(stored.satellites).toEqual([{ name: 'Luna', id: expect.any(Number) }])
      },
    ))

  it('the ids of another planet and its satellite change neither', async () => {
    const other = await create(planet({ name: 'Other', satellites: [{ name: 'Luna' }] }))
    const made = await create(planet({ id: other.id, satellites: [{ name: 'Luna', id: other.satellites[0].id }] }))
    expect(made.id).not.toBe(other.id)
    expect(made.satellites[0].id).not.toBe(other.satellites[0].id)
    expect(await bodyOf(await client.get(`/planets/${other.id}`))).toEqual(other)
  })
})

describe('unknown members of a satellite are ignored', () => {
  it('of any name', () =>
    eachRow<[string, Members]>(
      [
        ['a word', { colour: 'grey' }],
        ['members of a planet', { creator: 1, lastUpdated: 2, tags: null, satellites: [{}], habitabilityIndex: 7 }],
        ['names that every object has', { constructor: 1, prototype: 2, toString: 3 }],
        ['an empty name', { '': 1 }],
      ],
      async ([, members]) => {
        const { satellites } = await create(planet({ satellites: [{ name: 'Luna', ...members }] }))
        expect(satellites).toEqual([{ name: 'Luna', id: expect.any(Number) }])
      },
    ))

  it('in its orbit too', async () => {
    const orbit = { distance: 1, eccentricity: 'high', '': null, constructor: {} }
    const { id, satellites } = await create(planet({ satellites: [{ name: 'Luna', orbit }] }))
    expect(satellites[0].orbit).toEqual({ distance: 1, planet: { id, name: 'Terra' } })
  })
})

describe('the planet of an orbit is always the planet that the satellite belongs to', () => {
  it('whatever the request says of it', () =>
    eachRow<[string, unknown]>(
      [
        ['nothing', undefined],
        ['null', null],
        ['text', 'Jupiter'],
        ['a list', []],
        ['an empty object', {}],
        ['another planet', { id: 1, name: 'Jupiter' }],
        ['an invalid id', { id: 'x' }],
        ['a whole planet with satellites', { name: '', satellites: [{ name: 'Luna', orbit: { planet: {} } }] }],
      ],
      async ([, sent]) => {
        const { id, satellites } = await create(planet({ satellites: [{ name: 'Luna', orbit: { planet: sent } }] }))
        expect(satellites[0].orbit).toEqual({ planet: { id, name: 'Terra' } })
      },
    ))

  it('and has its new name after a rename', async () => {
    const { id } = await create(planet({ satellites: [{ name: 'Luna', orbit: {} }] }))
    const renamed = { name: 'Gaia', satellites: [{ name: 'Luna', orbit: { planet: { id, name: 'Terra' } } }] }
    const { satellites } = await bodyOf(await client.sendJson('PUT', `/planets/${id}`, renamed, account))
    expect(satellites[0].orbit.planet).toEqual({ id, name: 'Gaia' })
  })
})

describe('the response to a write equals that of a later read, byte for byte', () => {
  const full = {
    tags: ['b', 'a'],
    name: 'Terra "🪐" \u2028',
    satellites: [
      { orbit: { distance: 1e21, planet: {}, orbitalPeriod: 0.1 }, type: 'moon', name: 'Luna "\\"' },
      { name: 'Hermes', description: null, diameter: 5e-324 },
    ],
    physicalProperties: { rings: 1.5, radius: 1, temperature: { night: -1, min: 0.1 }, mass: 1e-7 },
    atmosphere: [{ note: 'x', percentage: 78.08, compound: 'N2' }],
    image: null,
    description: '',
    discoveredAt: '1610-01-07T00:00:00.50+01:00',
    habitabilityIndex: 1,
    failureCallbackUrl: 'https://example.com/failure',
    successCallbackUrl: 'https://example.com/success',
    type: 'terrestrial',
  }

  it.each<[string, Members]>([
    ['a planet with every member', full],
    ['a planet with only a name', { name: 'Terra' }],
  ])('%s', async (_, sent) => {
    const created = await client.sendJson('POST', '/planets', sent, account)
    const path = created.headers.get('Location') ?? ''
    expect(path).toMatch(new RegExp(`^${ORIGIN}/planets/[1-9]\\d*$`))
    expect(await (await client.get(path)).text()).toBe(await created.text())
    const replaced = await client.sendJson('PUT', path, sent, account)
    expect(replaced.status).toBe(200)
    expect(await (await client.get(path)).text()).toBe(await replaced.text())
  })

  it('and can be sent back unchanged', async () => {
    const { lastUpdated: _, ...created } = await create(full)
    const replaced = await client.sendJson('PUT', `/planets/${created.id}`, created, account)
    expect(replaced.status).toBe(200)
    expect(await bodyOf(replaced)).toEqual({ ...created, lastUpdated: expect.any(String) })
  })
})

/** A planet that is valid except for the members of a test case. Undefined members are absent. */
function planet(members: Members): Members {
  return { name: 'Terra', ...members }
}

/** The members that the server adds to every planet. */
function serverMembers() {
  return {
    id: expect.any(Number),
    creator: { id: account.id, name: 'Ada' },
    lastUpdated: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  }
}

function inTemperature(temperature: Members): Members {
  return { physicalProperties: { temperature } }
}

/** A URL of a given number of code points. */
function urlOf(length: number, character = 'x'): string {
  const start = 'https://example.com/'
  return start + character.repeat(length - start.length)
}

/** Stores a planet, given as a value or as JSON text. @returns The result of a read. */
async function create(body: unknown) {
  const response = await client.sendJson('POST', '/planets', body, account)
  const created = await bodyOf(response)
  expect([response.status, created.errors]).toEqual([201, undefined])
  return await bodyOf(await client.get(`/planets/${created.id}`))
}

/** The problem document of a rejected planet. */
async function refusalOf(body: unknown) {
  const response = await client.sendJson('POST', '/planets', body, account)
  expect(response.status).toBe(400)
  return await bodyOf(response)
}

async function pointersOf(body: unknown): Promise<string[]> {
  return sortedPointers(await refusalOf(body))
}

function sortedPointers(problem: { errors: { pointer: string }[] }): string[] {
  return problem.errors.map(({ pointer }) => pointer).sort()
}
