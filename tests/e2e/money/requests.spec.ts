import type { Request } from '@playwright/test'
import { signedIn } from '../support/people.ts'
import { expect, type Page, test } from '../support/test.ts'

/** Limits for the requests of the trading screen, and for the transferred size of its scripts. */
const MOST_ADDRESSES = 30
/** Data loaded before the socket was ready is reloaded if something was sent to the user, or to everybody, meanwhile. */
const MOST_TIMES = 2
/** For so long nothing may have been sent, for the browser to know that it has missed nothing. */
const QUIET_MS = 10_000
const MOST_SCRIPT_BYTES = 242_000

test('the trading screen loads in few requests with small scripts', async ({ page }) => {
  await signedIn(page)
  const asked = await requestsOf(page)
  const times = Map.groupBy(asked, ({ url }) => url)
  expect(times.size, [...times.keys()].join(' ')).toBeLessThanOrEqual(MOST_ADDRESSES)
  for (const [url, all] of times) expect(all.length, url).toBeLessThanOrEqual(url.includes('/api/') ? MOST_TIMES : 1)
  const scriptBytes = asked.filter(({ script }) => script).reduce((sum, { bytes }) => sum + bytes, 0)
  expect(scriptBytes).toBeLessThanOrEqual(MOST_SCRIPT_BYTES)

  await expect(async () => {
    await page.waitForTimeout(QUIET_MS)
    const urls = (await requestsOf(page)).map(({ url }) => url)
    expect(urls.length).toBeLessThanOrEqual(MOST_ADDRESSES)
    expect(
      urls.filter((url, index) => urls.indexOf(url) !== index),
      'nothing is loaded twice',
    ).toEqual([])
  }).toPass()
})

/** Loads the trading screen and returns its requests. */
async function requestsOf(page: Page): Promise<{ url: string; script: boolean; bytes: number }[]> {
  const sizes: Promise<{ url: string; script: boolean; bytes: number }>[] = []
  const add = (request: Request) =>
    sizes.push(
      request.sizes().then(({ responseBodySize }) => ({
        url: request.url(),
        script: request.resourceType() === 'script',
        bytes: responseBodySize,
      })),
    )
  page.on('requestfinished', add)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  // Idle-time requests follow two seconds later.
  await page.waitForTimeout(4_000)
  page.off('requestfinished', add)
  return Promise.all(sizes)
}
