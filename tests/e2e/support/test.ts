import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test as base, expect, type Frame, type Page } from '@playwright/test'
import type { Browser } from './browser.ts'
import { type Trouble, watch } from './trouble.ts'

export { expect, type Page } from '@playwright/test'

interface Fixtures {
  /** What went wrong in the browser while the test ran. Whatever is not expected fails the test at its end. */
  trouble: Trouble
}

/** Playwright's test with our browser and server, and an eye on everything that a user would not want to happen. */
export const test = base.extend<Fixtures>({
  launchOptions: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern
    async ({}, use) => {
      const browser = JSON.parse(process.env.E2E_BROWSER!) as Browser
      await use({
        executablePath: browser.executablePath,
        env: { ...process.env, ...browser.env } as Record<string, string>,
        args: ['--no-sandbox', '--font-render-hinting=none', '--disable-gpu'],
      })
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern
  baseURL: async ({}, use) => use(process.env.E2E_ORIGIN),
  trouble: [
    async ({ context }, use) => {
      const trouble = await watch(context)
      await use(trouble)
      expect(trouble.unexpected(), 'nothing goes wrong in the browser').toEqual([])
    },
    { auto: true },
  ],
})

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The screen as it stands has no accessibility violation, its frames included. */
export async function expectAccessible(page: Page, except: string[] = []): Promise<void> {
  // Every screen has a heading; before it is there, nothing is.
  await page.locator('h1').first().waitFor({ state: 'attached' })
  await Promise.all(page.frames().map(loadAxe))
  const lines = await page.evaluate(async (disabled) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') }
    const rules = Object.fromEntries(disabled.map((id) => [id, { enabled: false }]))
    const { violations } = await axe.run(document, { rules, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)}: ${failureSummary?.slice(0, 300)}`),
    )
  }, except)
  expect(lines, page.url()).toEqual([])
}

/** Loads axe into a document that doesn't have it yet: half a megabyte, so once. */
async function loadAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate(() => 'axe' in window)) return
  await frame.evaluate(`${AXE}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`)
}

/** Nothing overflows the screen: a phone never scrolls sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beside = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(beside, `${page.url()} is as wide as its window`).toBeLessThanOrEqual(0)
}

/** The scripts that the page has loaded so far: path, and size unpacked in bytes. */
export const scriptsOn = (page: Page): Promise<{ path: string; bytes: number }[]> =>
  page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .map(({ name, decodedBodySize }) => ({ path: new URL(name).pathname, bytes: decodedBodySize }))
      .filter(({ path }) => path.endsWith('.js')),
  )

/** The errors that a reader would hear now, in the order of the screen. */
export async function errorsOn(page: Page): Promise<string[]> {
  const texts = await page.getByRole('alert').allInnerTexts()
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

/** Types into the field that is called this. */
export const typeInto = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text)
