import { signedIn } from '../support/people.ts'
import { expect, type Page, test } from '../support/test.ts'

/** Every list of a trader: its screen, the request it makes, and its text when empty. */
const LISTS = [
  { place: 'home', mode: 'demo', reads: /\/api\/trading\?/, shows: 'No trades yet' },
  { place: 'home', mode: 'demo', reads: /\/api\/prices\/candles\?/, shows: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/ },
  { place: 'trade-history', mode: 'demo', reads: /\/api\/trading\?/, shows: 'No trades yet' },
  { place: 'home', mode: 'real', reads: /\/api\/profit\?/, shows: 'Profits from your winning trades appear here.' },
  { place: 'deposit-log', mode: 'real', reads: /\/api\/deposit\?/, shows: "You don't have any deposit history !!" },
  { place: 'withdraw-log', mode: 'real', reads: /\/api\/withdraw\?/, shows: /withdraw.* history/i },
  { place: 'earnings', mode: 'real', reads: /\/api\/profit\?/, shows: 'You have not Earned Yet' },
  { place: 'security', mode: 'real', reads: /\/api\/auth\/sessions/, shows: 'This device' },
  { place: 'security', mode: 'real', reads: /\/api\/auth\/2fa/, shows: /authenticator/i },
] as const

/** Shorter than the wait before the second try. */
const FIRST_TRIES_MS = 600

/**
 * Responds with 503 to the first attempts of a read, and holds later ones back until the returned function is called.
 */
async function failFirst(page: Page, reads: RegExp): Promise<() => void> {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let failedAt: number | undefined
  await page.route(reads, async (route) => {
    failedAt ??= Date.now()
    if (Date.now() - failedAt > FIRST_TRIES_MS) {
      await released
      await route.continue().catch(() => undefined)
      return
    }
    const json = { status: false, code: 'unavailable', message: 'The database is restarting.' }
    await route.fulfill({ status: 503, json })
  })
  return release
}

for (const { place, mode, reads, shows } of LISTS) {
  test(`says at the first failure that ${reads.source} at ${place} is retried, and shows it when it succeeds`, async ({
    page,
    trouble,
  }) => {
    trouble.expect('answered 503')
    await signedIn(page, { mode })
    const release = await failFirst(page, reads)
    await page.goto(`/user/${place}`)
    // The second attempt has no response yet, so this is what the screen shows after the first failure.
    const alert = page.locator('main').getByRole('alert').filter({ hasText: 'Trying again…' })
    await expect(alert.first()).toBeVisible()
    // Nothing covers it, as the chart's canvas once did.
    await alert.first().click({ trial: true })
    await expect(
      page.getByText('The database is restarting.').or(page.getByText("We couldn't load your")).first(),
    ).toBeVisible()
    release()
    await expect(page.locator('main').getByText(shows).first()).toBeVisible()
    await expect(alert).toHaveCount(0)
  })
}

test('keeps the interval of the chart when its candles fail to load', async ({ page, trouble }) => {
  trouble.expect('answered 503')
  await signedIn(page)
  const release = await failFirst(page, /\/api\/prices\/candles\?/)
  await page.goto('/user/home')
  await expect(page.getByText(/^We couldn't load the candles/)).toBeVisible()
  await expect(page.getByRole('radio', { name: '5 seconds', exact: true })).toBeChecked()
  release()
})

test('says at the first failure that the notifications are retried, and shows them when a try succeeds', async ({
  page,
  trouble,
}) => {
  trouble.expect('answered 503')
  await signedIn(page)
  const release = await failFirst(page, /\/api\/notices\?/)
  await page.goto('/user/edit-profile')
  await page.getByRole('button', { name: /notification/i }).click()
  const alert = page.getByRole('alert').filter({ hasText: 'The database is restarting.' })
  await expect(alert).toContainText('Trying again…')
  release()
  await expect(page.getByText("Nothing yet. We'll notify you here and by e-mail")).toBeVisible()
  await expect(alert).toHaveCount(0)
})
