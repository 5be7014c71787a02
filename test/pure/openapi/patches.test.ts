import { describe, expect, it } from 'vitest'
import { describeWorld } from '../../../documents/documents.ts'

const WORLDS = ['common', 'universe'] as const

describe.each(WORLDS)('the document of the world "%s"', (world) => {
  it('has each kind of patch of a planet, with its schema and an example', () => {
    const { paths, components } = describeWorld(world, '2.0.0')
    const content = paths['/planets/{planetId}']?.patch?.requestBody?.content ?? {}
    expect(Object.keys(content)).toEqual(['application/merge-patch+json', 'application/json-patch+json'])
    for (const { schema, examples } of Object.values(content)) {
      const name = String(Object(schema).$ref).split('/').at(-1) ?? ''
      expect(components.schemas[name]).toBeDefined()
      expect(Object.keys(examples ?? {})).toHaveLength(1)
    }
    expect(components.schemas.JsonPatch).toMatchObject({ type: 'array', maxItems: 1000 })
  })

  it('says that a 415 may have Accept-Patch, and that a patch may conflict', () => {
    const { UnsupportedMediaTypeProblem, ConflictProblem } = describeWorld(world, '2.0.0').components.responses
    expect(UnsupportedMediaTypeProblem).toHaveProperty(['headers', 'Accept-Patch'])
    expect(ConflictProblem).toHaveProperty(['content', 'application/problem+json', 'examples', 'patch-conflict'])
  })

  it('knows nothing of patches in API version 1.0.0', () => {
    expect(JSON.stringify(describeWorld(world, '1.0.0'))).not.toMatch(/patch/i)
  })
})
