import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SOLVENCY_STEPS } from '#packages/verify/solvency.js'
import { openProofKey } from '#server/proof/index.ts'
import { makeSolvencyStatement } from '#server/proof/solvency/solvency.ts'
import { fund } from '../support/cashier.ts'
import { signedIn } from '../support/people.ts'
import { withServerDatabase } from '../support/servers/database.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from '../support/test.ts'

const CLI = join(import.meta.dirname, '../../../packages/verify/cli.js')

test('a trader finds their balances in the signed total, which anyone can see', async ({ page, browser }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await fund(email, 1_234.56)
  // Another trader, so that the tree has at least two entries.
  const other = await browser.newPage()
  await fund((await signedIn(other)).email, 400)
  await other.close()
  const number = await withServerDatabase((db) => makeSolvencyStatement(db, openProofKey(process.env.E2E_DATA!), false))

  await page.goto('/user/solvency')
  await expect(page.getByRole('definition').filter({ hasText: email })).toBeVisible()
  await expect(page.getByRole('definition').filter({ hasText: '$1,234.56' })).not.toHaveCount(0)
  await expect(page.getByRole('listitem').filter({ hasText: 'You' })).toHaveCount(2)
  await expect(page.getByRole('listitem').filter({ hasText: 'Everyone' })).toHaveCount(2)
  await expect(page.getByText('We don’t publish addresses here')).toBeVisible()
  await page.getByRole('button', { name: 'Check in your browser' }).click()
  await expect(page.getByText('Your balances are part of the signed total.')).toBeVisible()
  for (const title of Object.values(SOLVENCY_STEPS))
    await expect(page.getByRole('listitem').filter({ hasText: `${title}: passed` })).toBeVisible()
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    await expectAccessible(page)
  }
  for (const width of [320, 390, 1000]) {
    await page.setViewportSize({ width, height: 800 })
    await expectNoSidewaysScroll(page)
  }

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download proof' }).click()
  const download = await saved
  expect(download.suggestedFilename()).toBe(`solvency-${number}.json`)
  const text = readFileSync(await download.path(), 'utf8')
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-solvency-'))
  try {
    const run = (content: string) => {
      writeFileSync(join(folder, 'proof.json'), content)
      return spawnSync(process.execPath, [CLI, 'proof.json'], { cwd: folder, encoding: 'utf8', env: {} })
    }
    expect(run(text).stdout).toContain('The proof is genuine.')
    const richer = text.replace(/"available":"(\d+)/, (_, dollars) => `"available":"${Number(dollars) + 1}`)
    expect(run(richer).stdout).toContain(`FAILED ${SOLVENCY_STEPS.path}`)
  } finally {
    rmSync(folder, { recursive: true })
  }

  await page.setViewportSize({ width: 1440, height: 900 })
  await page.goto('/verify#solvency')
  await expect(page.getByRole('region', { name: 'Table of statements' }).getByRole('row')).not.toHaveCount(1)
  await expect(page.getByText('We don’t publish addresses, so')).toBeVisible()
  await expectAccessible(page)
})
