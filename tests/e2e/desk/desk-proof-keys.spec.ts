import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openProofKey } from '#server/proof/index.ts'
import { publishKey } from '#server/proof/keys/key.ts'
import { approveItem, operatorIn } from '../support/desk.ts'
import { withServerDatabase } from '../support/servers/database.ts'
import { type Server, startServer } from '../support/servers/server.ts'
import { expect, expectAccessible, expectNoSidewaysScroll, type Page, test } from '../support/test.ts'

/** A separate server: while a key waits, each admin's page of settings says so. */
let folder: string
let server: Server
test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  chmodSync(folder, 0o711)
  server = await startServer({ dataDir: join(folder, 'data') })
})
test.afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const name = () => `${randomUUID().slice(0, 13)}@desk.example`
const REASON = 'The disk with proof.key broke.'

async function expectGoodEverywhere(desk: Page, shot: string): Promise<void> {
  await expectAccessible(desk)
  for (const width of [390, 1000, 1366, 1920]) {
    await desk.setViewportSize({ width, height: 900 })
    await expectNoSidewaysScroll(desk)
    if (process.env.SHOTS)
      await desk.screenshot({ path: `${process.env.SHOTS}/${shot}-${width}.png`, animations: 'disabled' })
  }
}

test('after a lost key, one admin proposes the new one on the card, and another begins it', async ({
  browser,
  request,
}) => {
  const dataDir = join(folder, 'data')
  const at = { origin: server.origin, dataDir }
  const published = async () => {
    const { data } = (await (await request.get(`${server.origin}/api/proof/keys`)).json()) as {
      data: { id: string; unsigned_reason: string | null }[]
    }
    return data
  }
  await expect.poll(async () => (await published()).length, "the engine's own key is the first").toBe(1)
  const key = openProofKey(folder)
  await withServerDatabase((db) => publishKey(db, key), dataDir)
  const proposer = await operatorIn(browser, name(), 'admin', at)
  const decider = await operatorIn(browser, name(), 'admin', at)
  const card = (desk: Page) => desk.getByText(key.id)

  await test.step('one reads the card and proposes', async () => {
    await proposer.goto('/desk/settings')
    await expect(proposer.getByRole('heading', { name: 'Receipts wait for a key' })).toBeVisible()
    await expect(card(proposer)).toBeVisible()
    const propose = proposer.getByRole('button', { name: 'Propose to begin this key' })
    await expect(propose, 'not without a reason').toBeDisabled()
    await expectGoodEverywhere(proposer, 'key-waits')
    await proposer.getByLabel('Reason', { exact: true }).first().fill(REASON)
    await propose.click()
    await expect(proposer.getByText('Proposed. Another admin decides.')).toBeVisible()
    await proposer.getByRole('link', { name: 'Open the proposal' }).click()
    await expect(proposer.getByText('You proposed this. Ask another operator to decide.')).toBeVisible()
    await expect(proposer.getByRole('button', { name: /^Approve/ })).toHaveCount(0)
  })

  await test.step('another compares it and approves', async () => {
    await decider.goto('/desk/settings')
    await decider.getByRole('link', { name: 'Open the proposal' }).click()
    await expect(decider.getByText(key.id).first()).toBeVisible()
    await expect(decider.getByText(REASON).first()).toBeVisible()
    await expectGoodEverywhere(decider, 'key-proposed')
    expect((await published()).length, 'nothing has begun').toBe(1)
    await approveItem(decider)
    await expect(decider.getByText('The key has begun. Receipts follow within a minute.')).toBeVisible()
  })

  await test.step('the key is published with its reason, and the card is gone', async () => {
    const begun = (await published()).find(({ id }) => id === key.id)
    expect(begun).toMatchObject({ unsigned_reason: REASON })
    await decider.goto('/desk/settings')
    await expect(decider.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
    await expect(card(decider)).toHaveCount(0)
  })
  await Promise.all([proposer.context().close(), decider.context().close()])
})
