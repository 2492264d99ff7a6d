import { signedIn } from '../support/people.ts'
import { expect, test } from '../support/test.ts'

/** Limits for the requests of the trading screen, and for the transferred size of its scripts. */
const MOST_ADDRESSES = 30
/**
 * Data loaded before the socket was ready is reloaded, because pushes may have been missed. How much depends on timing.
 */
const MOST_TIMES = 2
const MOST_SCRIPT_BYTES = 242_000

test('the trading screen loads in few requests with small scripts', async ({ page }) => {
  await signedIn(page)
  const sizes: Promise<{ url: string; script: boolean; bytes: number }>[] = []
  page.on('requestfinished', (request) =>
    sizes.push(
      request.sizes().then(({ responseBodySize }) => ({
        url: request.url(),
        script: request.resourceType() === 'script',
        bytes: responseBodySize,
      })),
    ),
  )
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  // Idle-time requests follow two seconds later.
  await page.waitForTimeout(4_000)
  const asked = await Promise.all(sizes)
  const times = Map.groupBy(asked, ({ url }) => url)
  expect(times.size, [...times.keys()].join(' ')).toBeLessThanOrEqual(MOST_ADDRESSES)
  for (const [url, all] of times) expect(all.length, url).toBeLessThanOrEqual(url.includes('/api/') ? MOST_TIMES : 1)
  const scriptBytes = asked.filter(({ script }) => script).reduce((sum, { bytes }) => sum + bytes, 0)
  expect(scriptBytes).toBeLessThanOrEqual(MOST_SCRIPT_BYTES)
})
