import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { test as base, expect, type Frame, type Page } from '@playwright/test'
import type { Browser } from './browser.ts'
import { type Trouble, watch } from './trouble.ts'

export { expect, type Locator, type Page } from '@playwright/test'

interface Fixtures {
  /** Problems in the browser during the test. Unexpected ones fail the test at its end. */
  trouble: Trouble
}

/** Playwright's test with our browser and server, which also fails on unexpected browser problems. */
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
      expect(await trouble.unexpected(), 'nothing goes wrong in the browser').toEqual([])
    },
    { auto: true },
  ],
})

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Expects the current screen, including its frames, to have no accessibility violations. */
export async function expectAccessible(page: Page, except: string[] = []): Promise<void> {
  // Every screen has a heading, which appears with the content.
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

/** Loads axe into a document, only once because it's half a megabyte. */
async function loadAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate(() => 'axe' in window)) return
  await frame.evaluate(`${AXE}; axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] })`)
}

/** Expects nothing to overflow the screen: a phone never scrolls sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const beside = () => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  await expect.poll(beside, `${page.url()} is as wide as its window`).toBeLessThanOrEqual(0)
}

/** Returns the scripts that the page has loaded so far: path, and uncompressed size in bytes. */
export const scriptsOn = (page: Page): Promise<{ path: string; bytes: number }[]> =>
  page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .map(({ name, decodedBodySize }) => ({ path: new URL(name).pathname, bytes: decodedBodySize }))
      .filter(({ path }) => path.endsWith('.js')),
  )

/** Returns the errors that a screen reader announces now, in screen order. */
export async function errorsOn(page: Page): Promise<string[]> {
  const texts = await page.getByRole('alert').allInnerTexts()
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

/** Types into the field with this label. */
export const typeInto = (page: Page, label: string, text: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(text)
