import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { QUEUES } from '#contract/desk/terms.ts'
import { USER_SCREENS } from '#contract/screens.ts'
import { PUBLIC_PAGES } from '#contract/site.ts'
import { operatorIn } from '../support/desk.ts'
import { type Filled, fillEveryField } from '../support/payloads.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, type Page, test } from '../support/test.ts'
import { type Trouble, watch } from '../support/trouble.ts'

/** A separate server, so that these names don't appear in other tests. */
let folder: string
let server: Server
let dataDir: string

test.describe.configure({ mode: 'default' })
// Enough for two walks.
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  dataDir = join(folder, 'data')
  // Exchanges that don't respond, so that the desk has some to take out.
  const nobody = ['binance', 'kraken', 'coinbase', 'bitstamp'].map((id) => `${id}=http://127.0.0.1:9`)
  server = await startServer({ dataDir, settings: { FEED: 'auto', VENUE_ADDRESSES: nobody.join(',') } })
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Seen {
  /** Numbers of the payloads that were shown as text. */
  shown: Set<number>
  /** Payloads that became an element or ran, each with its screen. */
  broken: string[]
}

/** Records payloads that run. */
const LISTEN = `window.ran = []; window.xss = (number) => window.ran.push(number);
  for (const name of ['alert', 'confirm', 'prompt', 'open']) window[name] = () => window.ran.push(name)`

/** Searches a screen once it has its data: every frame, text, field and attribute. */
async function look(page: Page, seen: Seen): Promise<void> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await expect(page.getByRole('status').filter({ hasText: /^Loading/ })).toHaveCount(0)
  await page.waitForLoadState('networkidle')
  for (const frame of page.frames()) {
    const { ran, made, text } = await frame.evaluate(() => {
      const elements = [...document.querySelectorAll('*')]
      return {
        ran: (window as unknown as { ran?: unknown[] }).ran ?? [],
        made: elements
          .filter(
            (one) =>
              one.matches('[onerror], [onload], img[src="x"]') ||
              /^\s*javascript:/i.test(one.getAttribute('href') ?? ''),
          )
          .map((one) => one.outerHTML.slice(0, 120)),
        text: [
          document.documentElement.textContent,
          ...elements.flatMap((one) => [...one.attributes].map(({ value }) => value)),
          ...elements.map((one) => (one as HTMLInputElement).value ?? ''),
        ].join('\n'),
      }
    })
    const where = new URL(page.url()).pathname
    for (const what of [...ran.map((one) => `${one} ran`), ...made]) seen.broken.push(`${where}: ${what}`)
    for (const [, number] of text.matchAll(/onerror=xss\((\d+)\)/g)) seen.shown.add(Number(number))
  }
}

async function walk(page: Page, paths: readonly string[], seen: Seen): Promise<void> {
  for (const path of paths) {
    await page.goto(path)
    await look(page, seen)
  }
}

/** Returns the path of an item in the list of its status. */
const itemPath = (queue: string, id: string, status: string): string => `/desk/${queue}/${id}?status=${status}`

/** Returns the paths of every item in every queue of the desk, and of its other screens. */
async function deskPaths({ asDesk, traderIds }: Filled): Promise<string[]> {
  const items = await Promise.all(
    Object.entries(QUEUES).flatMap(([queue, { statuses }]) =>
      statuses.map(async (status) => {
        const { data } = (await asDesk('GET', `/${queue}?status=${status}`)) as { data: { id: string }[] }
        return data.map(({ id }) => itemPath(queue, id, status))
      }),
    ),
  )
  return [
    '/desk',
    ...Object.keys(QUEUES).map((queue) => `/desk/${queue}`),
    ...items.flat(),
    '/desk/users',
    ...traderIds.map((id) => `/desk/users/${id}`),
    ...[
      'trades',
      'money',
      'exposure',
      'reconciliation',
      'automatic',
      'published-strategies',
      'feeds',
      'instruments',
      'operators',
      'settings',
      'audit',
    ].map((screen) => `/desk/${screen}`),
  ]
}

/** Opens what the desk shows only on request. */
async function openOnDesk(desk: Page, { traderIds: [id], bankWithdrawal }: Filled, seen: Seen): Promise<void> {
  await desk.goto(`/desk/users/${id}`)
  for (const section of ['Ledger', 'Requests', 'Sessions', 'Notes']) {
    await desk.getByRole('radio', { name: section, exact: true }).check()
    await look(desk, seen)
  }
  await desk.goto('/desk/audit')
  const more = desk.getByRole('button', { name: 'Load more' })
  const records = desk.getByRole('button', { name: /^Details of record/ })
  await expect(records).not.toHaveCount(0)
  while (await more.isVisible()) {
    const before = await records.count()
    await more.click()
    await expect.poll(() => records.count()).toBeGreaterThan(before)
  }
  await look(desk, seen)
  await desk.goto(`/desk/withdrawals/${bankWithdrawal}?user=${id}`)
  await desk.getByRole('button', { name: /^Show the bank account/ }).click()
  await expect(desk.getByText('021000021')).toBeVisible()
  await look(desk, seen)
}

test('no user input runs or becomes an element on any screen', async ({ browser }) => {
  const seen: Seen = { shown: new Set(), broken: [] }
  const desk = await operatorIn(browser, 'walker@desk.example', ALL_ROLES, { origin: server.origin, dataDir })
  const filled = await fillEveryField({ server, dataDir, desk })
  const context = await browser.newContext({ baseURL: server.origin, reducedMotion: 'reduce' })
  const troubles: Trouble[] = [await watch(context), await watch(desk.context())]
  await context.addInitScript(LISTEN)
  await desk.addInitScript(LISTEN)
  // A shared receipt or a picture may be gone by now. A payload's own request would be for `x`.
  for (const trouble of troubles) trouble.allow(/answered 404: GET \/api\/(?!.*\/x$)/)

  const trader = async (mode: 'real' | 'demo', screens: readonly string[]) => {
    const page = await context.newPage()
    await page.goto('/robots.txt')
    const root = JSON.stringify({ state: { auth: filled.session, mode }, version: 1 })
    await page.evaluate((text) => localStorage.setItem('root', text), root)
    await walk(
      page,
      screens.map((screen) => `/user/${screen}`),
      seen,
    )
    return page
  }
  const walkAll = async (): Promise<Page> => {
    const [, page] = await Promise.all([
      (async () => {
        await walk(desk, await deskPaths(filled), seen)
        await openOnDesk(desk, filled, seen)
      })(),
      (async () => {
        await trader('demo', ['home', 'trade-history'])
        return trader('real', USER_SCREENS)
      })(),
      (async () => walk(await context.newPage(), [...PUBLIC_PAGES, '/mailbox'], seen))(),
    ])
    await page.goto('/user/home')
    await page.getByRole('button', { name: 'Layouts' }).click()
    await expect(page.getByRole('list', { name: 'Layouts' }).getByRole('listitem')).toHaveCount(1)
    await look(page, seen)
    await page.keyboard.press('Escape')
    await page
      .getByRole('button', { name: /notifications/i })
      .first()
      .click()
    await look(page, seen)
    return page
  }
  const hidden = () => [...filled.fields].filter(([number]) => !seen.shown.has(number)).map(([, field]) => field)
  let page = await walkAll()
  // A screen may have been read before its data arrived.
  if (hidden().length > 0) page = await walkAll()

  expect(seen.broken).toEqual([])
  for (const trouble of troubles) expect(await trouble.unexpected()).toEqual([])
  expect(hidden().sort(), 'fields that no screen shows').toEqual([])

  // The same search finds a payload that isn't escaped.
  await page.evaluate((payload) => {
    document.body.insertAdjacentHTML('beforeend', `<p>${payload}</p>`)
  }, filled.payload)
  await look(page, seen)
  expect(seen.broken.join()).toContain('onerror=')
  await context.close()
  await desk.context().close()
})

const ALL_ROLES = 'support,compliance,finance,risk,admin,auditor'
