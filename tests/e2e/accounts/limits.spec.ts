import type { Guardrails } from '#contract/account/guardrails.ts'
import { sql } from '#server/platform/database/db.ts'
import { fund } from '../support/cashier.ts'
import { rootOf, signedIn } from '../support/people.ts'
import { withServerDatabase } from '../support/servers/database.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'
import { place, setOrder } from '../support/trading.ts'
import { watchFor } from '../support/watch-for.ts'

async function expectGoodEverywhere(page: Page, name: string): Promise<void> {
  for (const width of [320, 390, 1000, 1366, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
  }
  await expectAccessible(page)
  if (!process.env.SHOTS) return
  for (const theme of ['light', 'dark'] as const) {
    await page.locator('html').evaluate((root, chosen) => root.setAttribute('data-theme', chosen), theme)
    for (const width of [390, 1000, 1366, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: `${process.env.SHOTS}/${name}-${theme}-${width}.png`, fullPage: true })
    }
  }
}

async function guardrails(page: Page): Promise<Guardrails> {
  const { token } = (await rootOf(page)).state.auth.tokens!.access
  const answer = await page.request.get('/api/guardrails', { headers: { authorization: `Bearer ${token}` } })
  return ((await answer.json()) as { data: Guardrails }).data
}

test('a limit set on the screen refuses the next trade in the order panel, and a looser one waits', async ({
  page,
  trouble,
}) => {
  trouble.expect('answered 422: POST /api/trading/submit')
  const { email } = await signedIn(page, { mode: 'real' })
  await fund(email, 1_000)
  await page.goto('/user/limits')
  await page.getByRole('button', { name: 'Set the daily stake limit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Set your daily stake limit' })
  await dialog.getByRole('button', { name: 'Set limit' }).click()
  await expect(dialog.getByText('Amount must not be empty')).toBeVisible()
  await dialog.getByLabel('Amount').fill('25')
  await expect(dialog.getByText('Applies at once.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Set limit' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('$25.00 left')).toBeVisible()

  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  await setOrder(page, { amount: '20' })
  await place(page, 'Buy', { asked: true })
  await expect.poll(async () => (await guardrails(page)).open_stakes).toBe(20)
  await expect(page.getByRole('tab', { name: 'Open 1' })).toBeVisible()
  await setOrder(page, { amount: '10' })
  const refusal = await watchFor(page, 'alert', 'The daily stake limit you set')
  await place(page, 'Buy')
  expect(await refusal.text()).toMatch(/leaves \$5\.00\. It resets on .*, 00:00 UTC\./)

  await page.goto('/user/limits')
  await expect(page.getByText('$20.00 of $25.00')).toBeVisible()
  await page.getByRole('button', { name: 'Change the daily stake limit' }).click()
  const change = page.getByRole('dialog', { name: 'Change your daily stake limit' })
  await change.getByLabel('Amount').fill('500')
  await expect(change.getByText(/A looser limit takes 24 hours/)).toBeVisible()
  await change.getByRole('button', { name: 'Ask for this limit' }).click()
  await expect(page.getByText(/\$500\.00 can be confirmed from/)).toBeVisible()
  await expectGoodEverywhere(page, 'limits')
})

test('a reality check comes up in every tab, and one confirmation closes it in all', async ({ page, context }) => {
  const { email } = await signedIn(page, { mode: 'real' })
  await page.goto('/user/limits')
  await page.getByRole('radio', { name: '15 min' }).click()
  await expect.poll(async () => (await guardrails(page)).check_minutes).toBe(15)
  await withServerDatabase((db) =>
    sql`
      update guards set unchecked_seconds = 900, session_seconds = 900, session_from = clock_timestamp() - interval '15 minutes'
      where account_id = (select id * 2 from users where email = ${email})`.execute(db),
  )
  const other = await context.newPage()
  for (const tab of [page, other]) await tab.goto('/user/limits')
  for (const tab of [page, other]) await expect(tab.getByRole('dialog', { name: 'Reality check' })).toBeVisible()
  await expect(page.getByText('Time in this session')).toBeVisible()
  await expectGoodEverywhere(page, 'reality-check')
  // Closing the dialog uncovers the screen but confirms nothing.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('dialog', { name: 'Reality check' })).toBeHidden()
  expect((await guardrails(page)).check_due).not.toBeNull()
  await page.reload()
  await page.getByRole('button', { name: 'Continue' }).click()
  for (const tab of [page, other]) await expect(tab.getByRole('dialog', { name: 'Reality check' })).toBeHidden()
  expect((await guardrails(page)).check_due).toBeNull()
})

test('a time-out and a self-exclusion ask for confirmation, and say when they end', async ({ page, trouble }) => {
  trouble.allow(/^answered 401/)
  await signedIn(page, { mode: 'real' })
  await page.goto('/user/limits')
  await page.getByRole('button', { name: 'Start a time-out' }).click()
  const timeOut = page.getByRole('dialog', { name: 'Start a time-out?' })
  await expect(timeOut.getByRole('button', { name: 'Start the time-out' })).toBeDisabled()
  await timeOut.getByLabel('I understand that nobody can shorten this.').check()
  await timeOut.getByRole('button', { name: 'Start the time-out' }).click()
  await expect(page.getByText(/You're on a time-out until/)).toBeVisible()
  await expectGoodEverywhere(page, 'time-out')

  await page.getByRole('button', { name: 'Exclude myself' }).click()
  const exclusion = page.getByRole('dialog', { name: 'Exclude yourself?' })
  await exclusion.getByLabel('I understand that nobody can shorten this.').check()
  await expectGoodEverywhere(page, 'exclusion')
  await exclusion.getByRole('button', { name: 'Exclude me' }).click()
  await expect(page).toHaveURL('/')
  await expect(page.getByText(/Your self-exclusion has started, and you are signed out/)).toBeVisible()
})
