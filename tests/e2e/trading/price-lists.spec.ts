import { randomUUID } from 'node:crypto'
import { operatorIn } from '../support/desk.ts'
import { signedIn } from '../support/people.ts'
import { tapeTest } from '../support/servers/tape.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page } from '../support/test.ts'
import { isPhone, place } from '../support/trading.ts'

const name = () => `${randomUUID().slice(0, 13)}@desk.example`

async function expectGoodEverywhere(page: Page, shot: string): Promise<void> {
  for (const width of [390, 1000, 1366, 1920]) {
    await page.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(page)
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}.png`, fullPage: true })
  }
  await expectAccessible(page)
}

/** The ticket's odds, which are in a sheet on a phone. */
async function openOdds(page: Page) {
  if (!isPhone(page)) return page.getByRole('region', { name: 'New order' })
  const sheet = page.getByRole('dialog', { name: 'New order' })
  if (!(await sheet.isVisible())) await page.getByRole('button', { name: /change the order/ }).click()
  return sheet
}

tapeTest('two admins change the odds, and the ticket shows and trades them', async ({ page, browser, tape }) => {
  const [proposer, decider] = [
    await operatorIn(browser, name(), 'admin', tape),
    await operatorIn(browser, name(), 'admin', tape),
  ]
  await signedIn(page)
  await page.goto('/user/home')
  await expect(page.getByRole('button', { name: /^Buy pays/ })).toBeEnabled()
  let odds = await openOdds(page)
  await odds.getByRole('radio', { name: 'Buy pays 12%, Sell pays 5%' }).check()

  await proposer.goto('/desk/odds')
  await proposer.getByRole('button', { name: 'Change the lists' }).click()
  await proposer.getByRole('button', { name: 'Add a list' }).click()
  await proposer.getByLabel('Name of list 2').fill('Even odds for Bitcoin Cash in a minute')
  await proposer.getByLabel('Odds of list 2').fill('62/21 40/40')
  await proposer.getByRole('button', { name: 'Add a rule' }).click()
  await proposer.getByLabel('Rule 1 is for').selectOption('Named symbols')
  await proposer.getByLabel('Symbols', { exact: true }).fill('BCHBTC')
  await proposer.getByLabel('1 min', { exact: true }).check()
  await proposer.getByLabel('List', { exact: true }).selectOption({ index: 1 })
  await proposer.getByRole('button', { name: 'Try on past prices' }).click()
  await expect(proposer.getByRole('region', { name: 'Dry run' })).toBeVisible()
  await expectGoodEverywhere(proposer, 'price-lists-editor')
  await proposer.getByLabel('Reason').fill('A trial of even odds.')
  await proposer.getByRole('button', { name: 'Propose the lists' }).click()
  await proposer.getByRole('link', { name: 'Open the proposal' }).click()
  await expect(proposer.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()

  await decider.goto('/desk/odds')
  await decider.getByRole('link', { name: 'Open the proposal' }).click()
  await expect(decider.getByText('A trial of even odds.')).toBeVisible()
  await expectGoodEverywhere(decider, 'price-lists-proposal')
  await decider.getByRole('button', { name: /^Approve/ }).click()
  await decider.getByRole('button', { name: /^Approve/ }).click()
  await expect(decider.getByText('The lists apply in five seconds.')).toBeVisible()

  // The ticket follows by itself, and says that the chosen pair is gone.
  await tape.advance(7_000)
  odds = await openOdds(page)
  await expect(odds.getByRole('radio', { name: 'Buy pays 62%, Sell pays 21%' })).toBeVisible()
  await expect(odds.getByText(/^12 \/ 5 isn't offered here now/)).toBeVisible()
  await expect(odds.getByRole('radio', { name: 'Best for each side: Buy pays 62%, Sell pays 40%' })).toBeChecked()
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/ticket-${isPhone(page)}.png` })
  await expectAccessible(page)
  if (isPhone(page)) await odds.getByRole('button', { name: 'Close' }).click()
  await place(page, 'Buy')
  await expect(page.getByRole('button', { name: /^Buy pays \+62\.00/ })).toBeVisible()
  odds = await openOdds(page)
  await odds.getByRole('radio', { name: '3 minutes' }).check()
  await expect(odds.getByRole('radio', { name: 'Buy pays 12%, Sell pays 5%' })).toBeChecked()
  if (isPhone(page)) await odds.getByRole('button', { name: 'Close' }).click()
  await Promise.all([proposer.context().close(), decider.context().close()])

  // Anyone sees what is offered, where, and since when.
  await page.goto('/prices#odds')
  const offered = page.getByRole('region', { name: 'The odds on offer' })
  await expect(offered.getByText(/^Version 2, since .* A change takes two operators;/)).toBeVisible()
  await expect(offered.getByText('1. BCHBTC, 1 min', { exact: true })).toBeVisible()
  await expect(offered.getByRole('row', { name: '62/21 62% 21% 61.7% 82.6%' })).toBeVisible()
  await offered.getByText('Earlier versions').click()
  await expect(offered.getByText('Version 1, from the beginning')).toBeVisible()
  if (process.env.SHOTS) await offered.screenshot({ path: `${process.env.SHOTS}/odds-${isPhone(page)}.png` })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
})
