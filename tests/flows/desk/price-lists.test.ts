import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import type { DeskPriceListChange } from '#contract/desk/markets/price-lists.ts'
import type { StrikeRate } from '#contract/terms.ts'
import { EVERY_DAY, type PriceListDocument } from '#contract/trading/offers.ts'
import type { DryRun, PriceLists } from '#contract/trading/price-lists.ts'
import { brokenRows } from '#server/invariants/broken-rows.ts'
import { tradingChecks } from '#server/invariants/checks/trading.ts'
import { type DeskOperator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal } from '#tests/support/replies.ts'
import { ORDER } from '#tests/support/servers/app.ts'

const { app, risk, admin, auditor, auditOf, stop } = await startDesk()
afterAll(stop)

const document = (...pairs: StrikeRate[]): PriceListDocument => ({
  lists: [
    { name: 'Standard', pairs },
    { name: 'Night', pairs: ['40/40'] },
  ],
  rules: [
    { symbols: [], group: 'Currencies', durations: [86_400], days: [...EVERY_DAY], from_hour: 22, to_hour: 4, list: 2 },
  ],
})
const propose = (body: PriceListDocument, who: DeskOperator = admin[0]!) =>
  who.ask('POST', '/price-lists', { body: { document: body, reason: 'A trial.' } })
const approve = (id: string, who: DeskOperator = admin[1]!, body: object = { acknowledged: null }) =>
  who.ask('POST', `/price-lists/${id}/approve`, { body })
const shown = async () => data<PriceLists>(await app.send('GET', '/api/public/price-lists'))
const expectSound = async () => {
  for (const check of tradingChecks.filter(({ name }) => name === 'T13'))
    expect(await brokenRows(app.db, check, 3)).toEqual([])
}

test('one admin proposes with a dry run, another approves, and everyone is shown what will apply', async () => {
  const first = await shown()
  expect(first).toMatchObject({ versions: [{ version: 1, from: null }], history: [{ version: 1, from: null }] })
  expect(refusal(await propose(first.versions[0]!.document))).toEqual([422, 'validation_failed'])
  const tried = data<DryRun>(
    await admin[0]!.ask('POST', '/price-lists/dry-run', { body: { document: document('60/20', '20/60') } }),
  )
  expect(tried).toMatchObject({ edge: false, no_hold: [], edges: [] })
  const proposal = data<DeskPriceListChange>(await propose(document('60/20', '20/60')))
  expect(proposal).toMatchObject({ status: 'Pending', version: null, own: true, before: first.versions[0]!.document })
  expect(refusal(await propose(document('61/20'), admin[1]!)), 'one at a time').toEqual([409, 'wrong_state'])
  for (const who of [risk[0]!, auditor]) expect(refusal(await approve(proposal.id, who))).toEqual([403, 'forbidden'])
  expect(refusal(await approve(proposal.id, admin[0]!))).toEqual([409, 'second_person_required'])
  expect(refusal(await approve(proposal.id, admin[1]!, { acknowledged: 'None.' }))).toEqual([422, 'validation_failed'])
  const approved = data<DeskPriceListChange>(await approve(proposal.id))
  expect(approved).toMatchObject({ status: 'Approved', version: 2, acknowledged: null })
  expect((await auditOf('price-lists', proposal.id)).map(({ action, after }) => [action, after])).toEqual([
    ['approve', expect.objectContaining({ status: 'Approved', version: 2, edge: false })],
    ['propose', expect.objectContaining({ status: 'Pending', edge: false })],
  ])
  await expect
    .poll(async () => (await shown()).versions.at(-1))
    .toMatchObject({ version: 2, document: document('60/20', '20/60') })
  const old = data<PriceLists>(await app.send('GET', '/api/public/price-lists?version=1'))
  expect(old.versions).toEqual(first.versions)
  await expectSound()
})

test('lists that give traders an edge are approved only with a reason, which is in the audit log', async () => {
  const proposal = data<DeskPriceListChange>(await propose(document('100/10')))
  expect(proposal.dry_run).toMatchObject({ edge: true, no_hold: [{ list: 1, pair: '100/10', side: 'Buy' }] })
  expect(refusal(await approve(proposal.id))).toEqual([422, 'validation_failed'])
  expect(refusal(await approve(proposal.id, admin[1]!, { acknowledged: ' ' }))).toEqual([422, 'validation_failed'])
  const approved = data<DeskPriceListChange>(
    await approve(proposal.id, admin[1]!, { acknowledged: 'A day of fair odds.' }),
  )
  expect(approved).toMatchObject({ status: 'Approved', version: 3, acknowledged: 'A day of fair odds.' })
  expect((await auditOf('price-lists', proposal.id))[0]?.after).toMatchObject({
    acknowledged: 'A day of fair odds.',
    edge: true,
  })
  await expectSound()
})

test('an order is accepted by the lists that apply, on every screen within seconds, and rejected lists change nothing', async () => {
  const rejected = data<DeskPriceListChange>(await propose(document('5/5')))
  expect((await admin[1]!.ask('POST', `/price-lists/${rejected.id}/reject`, { body: { reason: 'No.' } })).status).toBe(
    200,
  )
  const trader = await app.trader()
  const order = (strike_rate: string) =>
    app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, strike_rate } })
  for (let waited = 0; waited < 60_000; waited += 250) {
    const { status, json } = await order('100/10')
    if (status === 200) {
      expect(json!.data).toMatchObject({ percent: 100, price_list: 3 })
      break
    }
    await sleep(250)
  }
  expect(refusal(await order('75/3'))).toEqual([422, 'odds_unavailable'])
  expect(refusal(await order('5/5'))).toEqual([422, 'odds_unavailable'])
  await expectSound()
})
