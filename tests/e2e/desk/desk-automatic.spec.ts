import { randomUUID } from 'node:crypto'
import { approveItem, operatorIn } from '../support/desk.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

const name = () => `${randomUUID().slice(0, 13)}@desk.example`

async function expectGoodEverywhere(desk: Page, shot: string): Promise<void> {
  for (const width of [390, 1000, 1366, 1440]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    if (process.env.SHOTS) await desk.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}.png` })
  }
  await expectAccessible(desk)
}

// The server is shared: no other test may follow this strategy.
test('one operator switches a strategy off, and two switch it on again', async ({ browser }) => {
  const proposer = await operatorIn(browser, name(), 'risk')
  const decider = await operatorIn(browser, name(), 'risk')
  await proposer.goto('/desk/automatic')
  const rowIn = (desk: Page) => desk.getByRole('row', { name: /^Breakout/ })
  await proposer.getByRole('button', { name: 'Switch off Breakout' }).click()
  const form = proposer.getByRole('dialog', { name: 'Switch off Breakout' })
  await form.getByLabel('Reason').fill('We review its signals after a late candle.')
  await expectGoodEverywhere(proposer, 'automatic-switch-off')
  await form.getByRole('button', { name: 'Switch off', exact: true }).click()
  await expect(rowIn(proposer).getByText('We review its signals after a late candle.')).toBeVisible()

  await proposer.getByRole('button', { name: 'Switch on Breakout' }).click()
  const proposal = proposer.getByRole('dialog', { name: 'Switch on Breakout' })
  await proposal.getByLabel('Reason').fill('Reviewed: the candle was complete.')
  await proposal.getByRole('button', { name: 'Propose to switch on' }).click()
  await expect(proposal).toBeHidden()
  await expectGoodEverywhere(proposer, 'automatic')
  await rowIn(proposer).getByRole('link', { name: 'Open the proposal' }).click()
  await expect(proposer.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()

  await decider.goto('/desk/automatic')
  await rowIn(decider).getByRole('link', { name: 'Open the proposal' }).click()
  await expect(decider.getByText('Reviewed: the candle was complete.')).toBeVisible()
  await expectGoodEverywhere(decider, 'strategy-restarts')
  await approveItem(decider)
  await expect(decider.getByText('Breakout is on.')).toBeVisible()
  await decider.goto('/desk/automatic')
  await expect(decider.getByRole('button', { name: 'Switch off Breakout' })).toBeVisible()
  await Promise.all([proposer.context().close(), decider.context().close()])
})
