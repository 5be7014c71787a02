import { expect, it } from 'vitest'
import { createClient } from '../../../support/app.ts'

it.each([
  ['', ['>hey-api</a>', 'query/form-array', 'If a cell is wrong']],
  ['/hey-api', ['<h1>hey-api</h1>', 'What decides it', 'npm run scoreboard -- hey-api']],
])('the page /lab/scoreboard%s has its content', async (path, texts) => {
  const response = await createClient().get(`/lab/scoreboard${path}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
  const page = await response.text()
  for (const text of texts) expect(page).toContain(text)
  // What stands for the bar of a universe is gone.
  expect(page).not.toContain('<!--')
})

it('evidence leads to the rule of the part that was judged', async () => {
  const page = await (await createClient().get('/lab/scoreboard/kubb-fetch')).text()
  const [, evidence = ''] = /id="body-object">(.*?)<\/div>/s.exec(page) ?? []
  expect(evidence).toContain('The Content-Type is')
  expect(evidence).toContain('href="https://www.rfc-editor.org/rfc/rfc9110.html#section-8.3"')
  expect(evidence).toContain('header field indicates the media type of the associated representation')
})

it.each(['nobody', 'Hey-API', 'hey-api.txt', '..%2fcases.json', 'x'.repeat(81)])('%s is no client', async (name) => {
  const response = await createClient().get(`/lab/scoreboard/${name}`)
  expect(response.status).toBe(404)
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
})
