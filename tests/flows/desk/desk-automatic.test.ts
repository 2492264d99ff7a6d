import { afterAll, expect, test } from 'vitest'
import type { DeskStrategy } from '#contract/desk/markets/automatic.ts'
import type { DeskStrategyRestart } from '#contract/desk/markets/strategy-restarts.ts'
import type { DeskAuditRow } from '#contract/desk/office/audit.ts'
import type { StrategyId } from '#contract/terms.ts'
import { automationOf } from '#tests/support/automatic-settings.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'

const { app, risk, admin, auditor, auditOf, stop } = await startDesk()
afterAll(stop)

const strategies = async (who = risk[0]!) => data<DeskStrategy[]>(await who.ask('GET', '/automatic'))
const strategy = async (id: StrategyId, who = risk[0]!) => (await strategies(who)).find((one) => one.strategy === id)!
const switchOff = (id: StrategyId | 'all', reason = 'Its signals come late.') =>
  risk[0]!.ask('POST', '/automatic/switch-off', { body: { strategy: id, reason } })

/** Creates a trader whose demo account follows a strategy. */
async function follower(id: StrategyId) {
  const trader = await app.trader()
  const { token } = trader
  data(await app.send('PUT', '/api/automatic', { token, body: automationOf({ strategy: id }) }))
  data(await app.send('POST', '/api/automatic/start', { token, body: { mode: 'demo' } }))
  return trader
}

test('counts followers by strategy, account and state', async () => {
  await follower('breakout')
  const { token } = await follower('breakout')
  expect((await strategy('breakout')).demo).toMatchObject({ running: 2, paused: 0 })
  data(await app.send('POST', '/api/automatic/pause', { token, body: { mode: 'demo' } }))
  expect(await strategy('breakout')).toMatchObject({
    name: 'Breakout',
    switched_off: null,
    demo: { running: 1, paused: 1 },
    real: { running: 0, paused: 0, trades_today: 0, stops_today: 0, open_trades: 0, open_stake: 0 },
  })
})

test('one risk operator switches a strategy off immediately, and its followers see why', async () => {
  const { token } = await follower('trend')
  const answer = data<DeskStrategy[]>(await switchOff('trend'))
  expect(answer.filter((one) => one.switched_off).map((one) => one.strategy)).toEqual(['trend'])
  expect((await strategy('trend')).switched_off).toMatchObject({ reason: 'Its signals come late.' })
  const seen = data<{ switched_off: unknown }>(await app.send('GET', '/api/automatic?mode=demo', { token }))
  expect(seen.switched_off).toEqual([{ strategy: 'trend', why: 'Its signals come late.' }])
  expect((await auditOf('strategies', 'trend'))[0]).toMatchObject({
    operator: risk[0]!.email,
    action: 'switch-off',
    before: { switched_off: [] },
    after: { switched_off: ['trend'] },
    why: 'Its signals come late.',
  } satisfies Partial<DeskAuditRow>)
})

test('switching off again keeps the first reason, even twenty times at once', async () => {
  const { switched_off: first } = await strategy('trend')
  const replies = await twenty((n) => switchOff('trend', `Again ${n}.`))
  for (const reply of replies) expect(reply.status, reply.text).toBe(200)
  expect((await strategy('trend')).switched_off).toEqual(first)
})

test('switches all off with one action', async () => {
  data(await switchOff('all', 'The prices are under review.'))
  const all = await strategies()
  expect(all.every((one) => one.switched_off)).toBe(true)
  expect((await auditOf('strategies', 'all'))[0]).toMatchObject({
    before: { switched_off: ['trend'] },
    after: { switched_off: all.map((one) => one.strategy) },
  })
})

test('only risk operators can switch off; admins and auditors can view', async () => {
  for (const who of [admin[0]!, auditor]) {
    expect((await who.ask('GET', '/automatic')).status).toBe(200)
    const body = { strategy: 'trend', reason: 'r' }
    expect(refusal(await who.ask('POST', '/automatic/switch-off', { body }))).toEqual([403, 'forbidden'])
  }
})

test('switching on takes two risk operators', async () => {
  const propose = (id: StrategyId) =>
    risk[0]!.ask('POST', '/strategy-restarts', { body: { strategy: id, reason: 'Reviewed.' } })
  const { id, ...proposal } = data<DeskStrategyRestart>(await propose('trend'))
  expect(proposal).toMatchObject({ strategy: 'trend', name: 'Trend', status: 'Pending', own: true, decided_by: null })
  expect(refusal(await propose('trend')), 'proposed once').toEqual([409, 'wrong_state'])
  expect((await strategy('trend')).switched_off).toMatchObject({
    restart: { id, proposed_by: { email: risk[0]!.email } },
  })
  const decide = (who: DeskOperator, decision: 'approve' | 'reject', proposalId = id) =>
    who.ask('POST', `/strategy-restarts/${proposalId}/${decision}`, { body: { reason: 'Not yet.' } })
  const approve = (who: DeskOperator) => who.ask('POST', `/strategy-restarts/${id}/approve`)
  expect(refusal(await approve(risk[0]!))).toEqual([409, 'second_person_required'])
  for (const who of [admin[0]!, auditor]) expect(refusal(await approve(who))).toEqual([403, 'forbidden'])
  expect((await strategy('trend')).switched_off, 'still off').not.toBeNull()
  const replies = await twenty(() => approve(risk[1]!))
  expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
  expect((await strategy('trend')).switched_off).toBeNull()
  expect(refusal(await propose('trend')), 'it is on').toEqual([409, 'wrong_state'])
  expect((await auditOf('strategy-restarts', id)).map(({ action, operator, why }) => [action, operator, why])).toEqual([
    ['approve', risk[1]!.email, 'Reviewed.'],
    ['propose', risk[0]!.email, 'Reviewed.'],
  ])

  const other = data<DeskStrategyRestart>(await propose('breakout'))
  expect(data(await decide(risk[1]!, 'reject', other.id))).toMatchObject({
    status: 'Rejected',
    decision_reason: 'Not yet.',
  })
  expect((await strategy('breakout')).switched_off).toMatchObject({ restart: null })
})

test('the database does not switch a strategy on for one person, even with a second account', async () => {
  const propose = async () =>
    data<DeskStrategyRestart>(
      await risk[0]!.ask('POST', '/strategy-restarts', { body: { strategy: 'reversion', reason: 'r' } }),
    )
  const { id } = await propose()
  await expect(app.pool.query(`delete from strategy_switches where strategy = 'reversion'`)).rejects.toThrow(
    /two operators/,
  )
  const decided = (by: string) =>
    app.pool.query(
      `update proposals set status = 'Approved', decided_by = $1 where kind = 'strategy-restarts' and id = $2`,
      [by, id],
    )
  await expect(decided(risk[0]!.id)).rejects.toThrow(/four_eyes|two_people|own proposal/)
  await admin[0]!.ask('POST', `/operators/${risk[0]!.id}/end`, { body: { reason: 'left' } })
  const returned = await operator(app, ['risk'], risk[0]!.email.toUpperCase())
  expect(refusal(await returned.ask('POST', `/strategy-restarts/${id}/approve`))).toEqual([
    409,
    'second_person_required',
  ])
  expect((await strategy('reversion', risk[1]!)).switched_off).not.toBeNull()
})
