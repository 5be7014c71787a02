import { expect, test } from 'galaxy/playwright'

test('the page about a planet shows its new name', async ({ page, request, universe }) => {
  await request.put('planets/1', {
    headers: { Authorization: `Bearer ${universe.token}` },
    data: { name: 'Arrakis' },
  })
  await page.goto('explore/planets/1')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Arrakis')
})

test('the page about a planet shows its own name', async ({ page }) => {
  await page.goto('explore/planets/1')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mercury')
})
