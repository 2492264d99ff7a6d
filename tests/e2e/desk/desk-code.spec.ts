import { signedIn } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

test("traders load none of the desk's files", async ({ page }) => {
  const loaded: string[] = []
  page.on('response', (response) => loaded.push(new URL(response.url()).pathname))
  await signedIn(page)
  await page.goto('/user/home')
  await page.getByRole('region', { name: 'New order' }).waitFor()
  expect(loaded.filter((path) => path.startsWith('/desk'))).toEqual([])
  const scripts = loaded.filter((path) => path.endsWith('.js'))
  for (const path of scripts)
    expect(await (await page.request.get(path)).text()).not.toContain('identity-checks/:id/approve')
})
