import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeBuildFolder, newerDocumentFile, run, WORLDS } from '../journey.ts'
import { claimOf, yesOrNo } from '../newer.ts'
import { codesAtService, folder, go } from './go.ts'

// Generators in Go read the document in OpenAPI 3.2. What they make of it is in docs/tools.md.

describe.each(WORLDS)('from the document in OpenAPI 3.2 of %s', (world) => {
  const name = (tool: string) => (world === 'a universe' ? `newer_universe_${tool}` : `newer_${tool}`)

  it('oapi-codegen makes what docs/tools.md says', async () => {
    const output = await makeBuildFolder('go', name('oapi_codegen'))
    const file = join(output, 'galaxy.go')
    const parts = ['-generate=types,client,skip-prune', '-package=galaxy', `-o=${file}`]
    await go('tool', 'oapi-codegen', ...parts, newerDocumentFile(world))
    await go('build', `./build/${name('oapi_codegen')}`)
    const code = await readFile(file, 'utf8')
    const { reads, query, queryString } = claimOf('oapi-codegen')
    expect({ reads, query }).toEqual({ reads: 'yes', query: yesOrNo(code.includes('QueryPlanets(')) })
    // The only parameter of the search is a header.
    expect(code).toMatch(/^type SearchPlanetsParams struct \{\n(?:\t\/\/.*\n)*\tIfNoneMatch .*\n\}/m)
    expect(queryString).toBe('left out')
  })

  it('ogen stops at the query string, and without it makes a client with QUERY, as docs/tools.md says', async () => {
    const output = await makeBuildFolder('go', name('ogen'))
    const file = join(output, 'openapi.json')
    await writeFile(file, await readFile(newerDocumentFile(world)))
    // The second line makes the copy that ogen needs, of any document.
    const [, copy = ''] = codesAtService('#### ogen', 'bash')
      .join('')
      .split(/\n(?=jq )/)
    await run(['bash', '-ec', copy], output)
    await writeFile(join(output, 'ogen.yml'), codesAtService('#### ogen', 'yaml').join(''))
    const settings = [`-config=${output}/ogen.yml`, '-package=galaxy', `-target=${output}`]
    const { reads, query } = claimOf('ogen')
    const message = 'unknown parameter location "querystring"'
    await expect(go('tool', 'ogen', ...settings, `${output}/ogen.json`)).rejects.toThrow(message)
    expect(reads).toBe(`no: ${message}`)
    const [change = ''] = codesAtService('#### Without the query string', 'bash')
    await run(['bash', '-ec', change.replace('openapi-3.2.json', 'ogen.json')], output)
    await go('tool', 'ogen', ...settings, `${output}/without.json`)
    await go('build', `./build/${name('ogen')}`)
    const code = await readFile(join(output, 'oas_client_gen.go'), 'utf8')
    expect(query).toBe(code.includes('QueryPlanets(') ? 'yes, without the search' : 'no')
  })

  it('kin-openapi refuses it, as docs/tools.md says', async () => {
    const command = go('-C', join(folder, 'validators'), 'run', '.', newerDocumentFile(world))
    const message = 'extra sibling fields: [defaultMapping]'
    await expect(command).rejects.toThrow(message)
    expect(claimOf('kin-openapi').reads).toBe(`no: ${message}`)
  })
})
