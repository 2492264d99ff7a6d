import { signedIn } from './support/people.ts'
import { expect, test } from './support/test.ts'

/** All that the trading screen may ask for, and its scripts as they cross the wire. */
const MOST_ADDRESSES = 36
/** What came before the socket was ready is read again, because news may have been missed: how much depends on timing. */
const MOST_TIMES = 2
const MOST_SCRIPT_BYTES = 240_000

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
  // What the screen asks for at rest comes two seconds later.
  await page.waitForTimeout(4_000)
  const asked = await Promise.all(sizes)
  const times = Map.groupBy(asked, ({ url }) => url)
  expect(times.size, [...times.keys()].join('\n')).toBeLessThanOrEqual(MOST_ADDRESSES)
  for (const [url, all] of times) expect(all.length, url).toBeLessThanOrEqual(url.includes('/api/') ? MOST_TIMES : 1)
  const scriptBytes = asked.filter(({ script }) => script).reduce((sum, { bytes }) => sum + bytes, 0)
  expect(scriptBytes).toBeLessThanOrEqual(MOST_SCRIPT_BYTES)
})
