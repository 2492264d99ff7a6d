import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from '@playwright/test'
import { giveLongestValues } from './support/longest-values.ts'
import { type Account, register, signedIn } from './support/people.ts'
import { type Server, startServer } from './support/server.ts'
import { expect, type Page, test } from './support/test.ts'

const WIDTHS = [320, 360, 390, 600, 768, 769, 900, 1000, 1199, 1200, 1280, 1366, 1440, 1920]
const ALWAYS = ['home', 'trade-history', 'edit-profile', 'change-password', 'verify']
const SCREENS = {
  demo: ALWAYS,
  real: [...ALWAYS, 'deposit', 'deposit-log', 'withdraw-fund', 'withdraw-log', 'earnings', 'plan'],
}

/** A separate server, since these rows come without their money. */
let folder: string
let server: Server
let trader: Account

test.describe.configure({ mode: 'default' })
test.setTimeout(90_000)
test.beforeAll(async ({ browser }) => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  server = await startServer({ dataDir })
  const context = await browser.newContext({ baseURL: server.origin })
  trader = await register(await context.newPage())
  await giveLongestValues(dataDir, trader.email)
  await context.close()
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function openSignedIn(browser: Browser, mode: 'demo' | 'real'): Promise<Page> {
  const context = await browser.newContext({ baseURL: server.origin, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await signedIn(page, { mode, account: trader })
  return page
}

/** What is cut off or runs over its place, each as `element: how`. */
const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = []
    const width = document.documentElement.clientWidth
    if (document.documentElement.scrollWidth > width)
      found.push(`the page is ${document.documentElement.scrollWidth} px wide`)
    const nameOf = (element: Element) =>
      `<${element.tagName.toLowerCase()} ${element.className}> ${(element.textContent ?? '').trim().slice(0, 60)}`
    const isForReadersOnly = (element: Element) => element.closest('.visually-hidden') !== null
    for (const element of document.body.querySelectorAll('*')) {
      if (!element.checkVisibility({ visibilityProperty: true }) || isForReadersOnly(element)) continue
      // The chart draws on canvases that it sizes itself.
      if (element.closest('svg, .tv-lightweight-charts')) continue
      // A text can be longer than any field; a file's input lies unseen over its box.
      if (element.matches('input:not([type="number"]), textarea')) continue
      const style = getComputedStyle(element)
      if (style.display === 'inline' || style.display === 'contents' || element.clientWidth === 0) continue
      const over = element.scrollWidth - element.clientWidth
      if (over > 1) found.push(`${nameOf(element)}: ${over} px too wide for its place`)
      const isCutBelow = /hidden|clip/.test(style.overflowY) && element.scrollHeight - element.clientHeight > 1
      if (isCutBelow) found.push(`${nameOf(element)}: cut off below`)
    }
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      const parent = texts.currentNode.parentElement
      if (!parent?.checkVisibility({ visibilityProperty: true }) || isForReadersOnly(parent)) continue
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      const { left, right, width: wide } = range.getBoundingClientRect()
      if (wide > 0 && (right > width + 1 || left < -1)) found.push(`${nameOf(parent)}: beyond the window`)
    }
    return found
  })

/** Waits until what follows the window's width has been laid out. */
const settle = (page: Page): Promise<void> =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 30)))),
  )

/** Looks at the screen in every width; all findings at once, each with its width. */
async function walkWidths(page: Page, screen: string, widths = WIDTHS): Promise<string[]> {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await settle(page)
    found.push(...(await cutOff(page)).map((line) => `${screen} at ${width}: ${line}`))
  }
  return found
}

for (const mode of ['demo', 'real'] as const) {
  for (const screen of SCREENS[mode]) {
    test(`${screen} in ${mode} mode shows the longest values in full at every width`, async ({
      browser,
      trouble: _,
    }) => {
      const page = await openSignedIn(browser, mode)
      await page.goto(`/user/${screen}`)
      await page.waitForLoadState('networkidle')
      expect(await walkWidths(page, screen)).toEqual([])
      await page.context().close()
    })
  }
}

test('on a phone, all cards of a history have the same height', async ({ browser, trouble: _ }) => {
  const page = await openSignedIn(browser, 'real')
  for (const width of [320, 390]) {
    await page.setViewportSize({ width, height: 844 })
    for (const screen of ['home', 'trade-history', 'earnings', 'deposit-log', 'withdraw-log']) {
      await page.goto(`/user/${screen}`)
      const cards = page.getByRole('main').getByRole('list').last().getByRole('listitem')
      await expect(cards.first()).toBeVisible()
      const heights = await cards.evaluateAll((all) =>
        all.map((card) => Math.round(card.getBoundingClientRect().height)),
      )
      expect(new Set(heights).size, `${screen} at ${width}: ${heights.join(', ')}`).toBe(1)
    }
  }
  await page.context().close()
})
