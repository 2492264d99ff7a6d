import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from '@playwright/test'
import { FULL_CHROMIUM } from '../support/browser.ts'
import { signedIn } from '../support/people.ts'
import { type Builds, serveBuilds } from '../support/servers/builds.ts'
import { test as base, expect, type Page } from '../support/test.ts'

/** Opens a window of a whole browser with a new profile, which closes with the test. */
async function newWindow(baseURL: string, use: (page: Page) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-installed-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: FULL_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
    baseURL,
    permissions: ['notifications'],
    serviceWorkers: 'allow',
    viewport: { width: 390, height: 844 },
  })
  await use(context.pages()[0] ?? (await context.newPage()))
  await context.close()
  rmSync(folder, { recursive: true, force: true })
}

const test = base.extend<{ installed: Page; builds: Builds; behindBuilds: Page }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern
  installed: ({}, use) => newWindow(process.env.E2E_ORIGIN!, use),
  // biome-ignore lint/correctness/noEmptyPattern: the same
  builds: async ({}, use) => {
    const builds = await serveBuilds(process.env.E2E_ORIGIN!)
    await use(builds)
    builds.stop()
  },
  behindBuilds: ({ builds }, use) => newWindow(builds.origin, use),
})

/** Opens the trading screen, and waits until the service worker serves it. */
async function openWithWorker(page: Page): Promise<void> {
  await signedIn(page)
  await page.goto('/user/home')
  await page.evaluate(() => navigator.serviceWorker.ready)
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated')
}

test('the app can be installed, with nothing that a browser misses', async ({ installed: page }) => {
  await openWithWorker(page)
  const session = await page.context().newCDPSession(page)
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors')
  expect(installabilityErrors).toEqual([])
  const { errors, url } = await session.send('Page.getAppManifest')
  expect([errors, new URL(url).pathname]).toEqual([[], '/site.webmanifest'])
  const manifest = await (await page.request.get('/site.webmanifest')).json()
  for (const { src, sizes } of [...manifest.icons, ...manifest.screenshots]) {
    const picture = await page.evaluate(async (from) => {
      const { width, height } = await createImageBitmap(await (await fetch(from)).blob())
      return `${width}x${height}`
    }, src as string)
    expect(picture, src).toBe(sizes)
  }
})

test('without a network a screen says so at once, shows no price, and comes back by itself', async ({
  installed: page,
}) => {
  await openWithWorker(page)
  await page.context().setOffline(true)
  await page.goto('/user/trade-history', { waitUntil: 'commit' })
  await expect(page.getByRole('heading', { name: "We can't reach Cleartick from here" })).toBeVisible()
  await expect(page.locator('body')).not.toContainText(/\d/)
  await page.context().setOffline(false)
  await expect(page.getByRole('heading', { name: 'Trade History' })).toBeVisible()
  expect(await page.evaluate(() => caches.keys())).toEqual(['offline'])
  const kept = await page.evaluate(async () => (await (await caches.open('offline')).keys()).map(({ url }) => url))
  expect(kept.map((url) => new URL(url).pathname)).toEqual(['/offline'])
})

test('a push message is shown while no screen is, and a tap opens what it is about', async ({ installed: page }) => {
  await openWithWorker(page)
  const session = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      for (const { registrationId } of registrations) resolve(registrationId)
    })
  })
  await session.send('ServiceWorker.enable')
  const origin = process.env.E2E_ORIGIN!
  const notification = {
    title: 'BTCUSDT rose to 70,000',
    body: 'Your alert.',
    navigate: `${origin}/user/trade-history`,
    tag: 'notice-7',
    lang: 'en',
  }
  const registrationId = await registered
  const deliver = () =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify({ web_push: 8030, notification }),
    })
  const shown = () =>
    page.evaluate(async () => {
      const registration = await navigator.serviceWorker.ready
      return (await registration.getNotifications()).map(({ title, body, tag }) => ({ title, body, tag }))
    })
  // A browser drops a message if its worker doesn't start in time on a very busy machine, and push services send it
  // again. The tag keeps it one notification.
  await expect(async () => {
    await deliver()
    const one = { title: 'BTCUSDT rose to 70,000', body: 'Your alert.', tag: 'notice-7' }
    await expect.poll(shown, { timeout: 15_000 }).toEqual([one])
  }).toPass()

  const worker = page.context().serviceWorkers()[0]!
  await worker.evaluate(async () => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
    const [one] = await registration.getNotifications()
    dispatchEvent(Object.assign(new Event('notificationclick'), { notification: one, waitUntil: () => undefined }))
  })
  await expect(page).toHaveURL('/user/trade-history')
  await expect.poll(shown).toEqual([])
})

test('a new build is shown to the next tab at once, and an open tab keeps what is typed', async ({
  behindBuilds: page,
  builds,
}) => {
  await openWithWorker(page)
  const build = (of: Page) => of.locator('meta[name="build"]').getAttribute('content')
  expect(await build(page)).toBe('1')
  const changed = page.evaluate(
    () =>
      new Promise<string>((resolve) => {
        navigator.serviceWorker.addEventListener('controllerchange', () => resolve('another worker'))
      }),
  )
  const order = page.getByRole('region', { name: 'New order' })
  await order.getByRole('button', { name: /change the order/ }).click()
  const sheet = page.getByRole('dialog', { name: 'New order' })
  await sheet.getByLabel('Amount', { exact: true }).fill('137')

  builds.next()
  const second = await page.context().newPage()
  await second.goto('/user/home')
  expect(await build(second)).toBe('2')
  await expect(second.getByRole('region', { name: 'New order' })).toBeVisible()
  expect(await changed, 'the worker of the new build takes over by itself').toBe('another worker')
  expect(await build(page), 'no reload of what is open').toBe('1')
  await expect(sheet.getByLabel('Amount', { exact: true })).toHaveValue('137')
  await page.reload()
  expect(await build(page)).toBe('2')
})
