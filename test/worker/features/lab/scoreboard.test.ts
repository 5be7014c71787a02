import { expect, it } from 'vitest'
import { createClient } from '../../../support/app.ts'

it('the page of the scoreboard has each client and each group of cases', async () => {
  const response = await createClient().get('/lab/scoreboard')
  expect(response.status).toBe(200)
  expect(response.headers.get('Content-Type')).toMatch(/^text\/html/)
  const page = await response.text()
  for (const text of ['>hey-api ', 'query/form-array', 'What decides it']) expect(page).toContain(text)
  // What stands for the bar of a universe is gone.
  expect(page).not.toContain('<!--')
})
