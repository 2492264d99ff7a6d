import { afterAll, expect, test } from 'vitest'
import type { DeskCapitalMove } from '#contract/desk/money/capital.ts'
import { riskChecks } from '#server/invariants/checks/risk.ts'
import { capitalOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import { ORDER } from '#tests/support/servers/app.ts'
import { connectTo } from '#tests/support/servers/database.ts'

const { app, items, admin, auditor, finance, auditOf, asSuper, stop } = await startDesk()
afterAll(stop)
const [ann, bob] = [admin[0]!, admin[1]!]

const propose = (who: DeskOperator, amount: number) =>
  who.ask('POST', '/capital-moves', { body: { amount, reference: 'SEPA 2026-11-1', reason: 'Capital of the owners.' } })
const approve = (who: DeskOperator, { id }: { id: string }) => who.ask('POST', `/capital-moves/${id}/approve`)
const paid = async () => (await capitalOf(app.db, { production: true })).capital
const TRADE = {
  ...ORDER,
  mode: 'real',
  trade_mode: 'Buy',
  strike_rate: '75/3',
  amount: 10_000,
  duration: 3_600,
} as const
const NEWEST = 'seq = (select max(seq) from capital)'
const broken = async () => {
  const rows = await Promise.all(riskChecks.map(({ sql: text }) => sql.raw(text).execute(app.db)))
  return rows.flatMap((one) => one.rows)
}

test('two admins pay capital in and take it out, once each, and never more than there is', async () => {
  const move = data<DeskCapitalMove>(await propose(ann, 500))
  expect(move).toMatchObject({ amount: 500, reference: 'SEPA 2026-11-1', status: 'Pending' })
  expect(refusal(await propose(bob, -1)), 'while one waits').toEqual([409, 'wrong_state'])
  expect(await paid()).toBe(0n)
  expect(refusal(await approve(ann, move))).toEqual([409, 'second_person_required'])
  const self = await operator(app, ['admin'], ann.email.replace('@', '+two@'))
  expect(refusal(await approve(self, move))).toEqual([409, 'second_person_required'])
  for (const reply of await twenty(() => approve(bob, move))) expect([200, 409]).toContain(reply.status)
  expect(await paid()).toBe(50_000n)
  data(await approve(bob, data<DeskCapitalMove>(await propose(ann, -200))))
  expect(await paid()).toBe(30_000n)
  expect(await auditOf('capital-moves', move.id)).toMatchObject([{ action: 'approve' }, { action: 'propose' }])
  expect(await broken()).toEqual([])
})

test('is refused to leave while the open trades need it; the lanes have room again after either decision', async () => {
  const all = async () => (await capitalOf(app.db, { production: false })).capital
  const trader = await items.verified(20_000)
  await expect
    .poll(async () => (await app.send('POST', '/api/trading/submit', { token: trader.token, body: TRADE })).status)
    .toBe(200)
  const leaves = async (rest: bigint) =>
    approve(bob, data<DeskCapitalMove>(await propose(ann, -Number((await all()) - rest) / 100)))
  const before = await all()
  // Half of what is left would be less than the 7,500 that the trade may cost.
  const refused = await leaves(1_000_000n)
  expect(refusal(refused)).toEqual([409, 'wrong_state'])
  expect(refused.text).toMatch(/open trades may cost \$7,500\.00, and without this capital/)
  expect(await all()).toBe(before)
  const { id } = data<{ id: string }[]>(await bob.ask('GET', '/capital-moves?status=Pending'))[0]!
  data(await bob.ask('POST', `/capital-moves/${id}/reject`, { body: { reason: 'Trades are open.' } }))
  data(await leaves(100_000_000n))
  await expect
    .poll(async () => (await app.send('POST', '/api/trading/submit', { token: trader.token, body: TRADE })).status)
    .toBe(200)
  expect(await broken()).toEqual([])
})

test('a lane that is stuck ends the decision, which holds up no other lane', async () => {
  const { id } = data<DeskCapitalMove>(await propose(ann, -1))
  const stuck = await connectTo(app.superUrl)
  await stuck.query('begin; select from risk_rooms where lane = (select max(lane) from risk_rooms) for update')
  const began = performance.now()
  const reply = await approve(bob, { id })
  // Without a bound of this transaction it would be the 5 s of every lock.
  expect(performance.now() - began).toBeLessThan(3_000)
  expect(reply.status).toBe(503)
  await stuck.query('rollback')
  await stuck.end()
  data(await approve(bob, { id }))
  expect(await broken()).toEqual([])
})

test('only admins move it; others of the office see it', async () => {
  for (const who of [auditor, finance[0]!]) {
    expect(refusal(await propose(who, 5))).toEqual([403, 'forbidden'])
    data(await who.ask('GET', '/capital-moves'))
  }
})

test('by SQL, the application moves nothing without an approved proposal of that amount', async () => {
  const before = await paid()
  const move = data<DeskCapitalMove>(await propose(ann, 7))
  const client = await connectTo(app.appUrl)
  try {
    for (const [statement, says] of [
      [`insert into capital (move_id, amount) values (${move.id}, 700)`, /not approved by two operators/],
      ['insert into capital (amount) values (5)', /play capital comes first/],
      ['insert into capital (amount) values (10000000000)', /play capital comes first/],
      ['insert into capital (amount, seq, capital_after, at) values (1, 9, 9, now())', /permission denied/],
      [`insert into capital_moves (id, amount, reference) values (${move.id}, 900, 'x')`, /no new proposal/],
      ['update capital set amount = 1', /permission denied/],
      ['delete from capital', /permission denied/],
      ["insert into capital_grace (until) values ('infinity')", /permission denied/],
    ] as const)
      await expect(client.query(statement), statement).rejects.toThrow(says)
  } finally {
    await client.end()
  }
  data(await bob.ask('POST', `/capital-moves/${move.id}/reject`, { body: { reason: 'no' } }))
  expect(await paid()).toBe(before)
})

test('verify names a changed movement, one without its approval, and an approved one that moved nothing', async () => {
  await asSuper(`set session_replication_role = 'replica'`, `update capital set amount = amount + 1 where ${NEWEST}`)
  expect((await broken()).length).toBeGreaterThan(0)
  await asSuper(`set session_replication_role = 'replica'`, `update capital set amount = amount - 1 where ${NEWEST}`)
  expect(await broken()).toEqual([])
  for (const move of [`update capital set move_id = null where ${NEWEST}`, `delete from capital where ${NEWEST}`]) {
    const { rows } = await sql<{ row: string }>`select to_json(c)::text as row from capital c`.execute(app.db)
    await asSuper(`set session_replication_role = 'replica'`, move)
    expect((await broken()).length, move).toBeGreaterThan(0)
    await asSuper(
      `set session_replication_role = 'replica'`,
      'delete from capital',
      `insert into capital select r.* from json_populate_recordset(null::capital, '[${rows.map(({ row }) => row).join()}]') r`,
    )
  }
  expect(await broken()).toEqual([])
})
