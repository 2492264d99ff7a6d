import { afterAll, describe, expect, test } from 'vitest'
import type { DeskLever, DeskLeverRelease } from '#contract/desk/markets/levers.ts'
import type { Withdrawal } from '#contract/money/cashier.ts'
import type { Instrument } from '#contract/prices/prices.ts'
import type { LeverKind } from '#contract/terms.ts'
import { deskChecks } from '#server/invariants/checks/desk.ts'
import { sql } from '#server/platform/database/db.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import { ORDER, type Trader } from '#tests/support/servers/app.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const { app, items, finance, risk, auditor, auditOf, asSuper, stop } = await startDesk()
afterAll(stop)

const [ann, bob] = [risk[0]!, finance[0]!]
const pull = (who: DeskOperator, kind: LeverKind, more: object = {}) =>
  who.ask('POST', '/levers', { body: { kind, reason: 'Something is wrong.', ...more } })
const pulled = async (who: DeskOperator, kind: LeverKind, more: object = {}): Promise<DeskLever> =>
  data<DeskLever[]>(await pull(who, kind, more)).find((lever) => lever.kind === kind)!
const propose = (who: DeskOperator, lever: Pick<DeskLever, 'id'>) =>
  who.ask('POST', '/lever-releases', { body: { lever_id: lever.id, reason: 'It is fixed.' } })
const approve = (who: DeskOperator, { id }: { id: string }) => who.ask('POST', `/lever-releases/${id}/approve`)
const released = async (lever: DeskLever) => data(await approve(bob, data<DeskLeverRelease>(await propose(ann, lever))))
const submit = (trader: Trader, more: object) =>
  app.send('POST', '/api/trading/submit', { token: trader.token, body: { ...ORDER, amount: 1, ...more } })
const broken = async () => {
  const found = []
  for (const { says, sql: text } of deskChecks.filter((check) => /lever/.test(check.says)))
    for (const row of (await sql.raw(text).execute(app.db)).rows) found.push({ says, row })
  return found
}

describe('real trading', () => {
  test('stops for everyone, also among twenty orders at once, while demo continues and open trades stay', async () => {
    const trader = await items.verified(100)
    const open = data<{ trade_id: string }>(await submit(trader, { mode: 'real', duration: 300 }))
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const first = await app.submit(trader, { mode: 'real', amount: 1 }, headers)
    const lever = await pulled(ann, 'real-trading')
    for (const reply of await twenty(() => submit(trader, { mode: 'real' }))) {
      expect(refusal(reply)).toEqual([422, 'price_unavailable'])
      expect(reply.text).toMatch(/Real trading is stopped.*Open trades run on and settle.*demo/)
    }
    data(await submit(trader, { mode: 'demo' }))
    expect((await app.submit(trader, { mode: 'real', amount: 1 }, headers)).trade_id, 'a stored key').toBe(
      first.trade_id,
    )
    const limits = await app.send('GET', '/api/trading/limits?symbol=BTCUSDT&mode=real', { token: trader.token })
    expect(data<{ refused?: string }>(limits).refused).toMatch(/^Real trading is stopped since \d\d:\d\d UTC/)
    const { rows } = await sql`select status from trades where id = any (
      select id from trades where account_id in (select id from accounts where user_id = ${trader.id}) and status = 'Void')`.execute(
      app.db,
    )
    expect(rows, `${open.trade_id} was not voided`).toEqual([])
    await released(lever)
    await expect.poll(async () => (await submit(trader, { mode: 'real' })).status).toBe(200)
    expect(await broken()).toEqual([])
  })
})

describe('one symbol', () => {
  test('stops in both modes, and the list of symbols says why; others continue', async () => {
    const trader = await items.verified(100)
    const lever = await pulled(bob, 'symbol', { symbol: ORDER.symbol })
    for (const mode of ['real', 'demo'])
      expect(refusal(await submit(trader, { mode }))).toEqual([422, 'price_unavailable'])
    const shown = async () => {
      const { json } = await app.send('GET', `/api/prices/instruments?symbols=${ORDER.symbol}`)
      return (json!.data as Instrument[])[0]!
    }
    await expect.poll(shown).toMatchObject({
      status: 'unavailable',
      reason: expect.stringMatching(/^Trading BTCUSDT is stopped since \d\d:\d\d UTC on /),
    })
    data(await submit(trader, { mode: 'demo', symbol: 'ETHUSDT' }))
    expect(refusal(await pull(ann, 'symbol', { symbol: ORDER.symbol }))).toEqual([409, 'wrong_state'])
    await released(lever)
    await expect.poll(async () => (await submit(trader, { mode: 'demo' })).status).toBe(200)
  })
})

describe('withdrawals', () => {
  test('wait: requested, cancelled and rejected as usual, but neither approved nor paid', async () => {
    const approved = await items.withdrawals(30)
    data(await bob.ask('POST', `/withdrawals/${approved.id}/approve`))
    const { trader, id } = await items.withdrawals(40)
    const lever = await pulled(ann, 'withdrawals')
    expect(refusal(await bob.ask('POST', `/withdrawals/${id}/approve`))).toEqual([409, 'payouts_halted'])
    const pay = () => bob.ask('POST', `/withdrawals/${approved.id}/paid`, { body: { reference: transactionId() } })
    expect(refusal(await pay())).toEqual([409, 'payouts_halted'])
    await expect(
      sql`update withdrawals set status = 'Paid', reference = 'x', ended_at = now() where status = 'Processing'`.execute(
        app.db,
      ),
    ).rejects.toThrow(/payouts are halted/)
    const [seen] = data<Withdrawal[]>(await app.send('GET', '/api/withdraw', { token: trader.token }))
    expect(seen).toMatchObject({ status: 'Pending', held_by: 'Payouts are paused' })
    const more = await items.withdrawals(20)
    data(await bob.ask('POST', `/withdrawals/${more.id}/reject`, { body: { reason: 'Wrong wallet.' } }))
    await released(lever)
    data(await pay())
  })
})

describe('one insider', () => {
  test('stops alone, and cannot release alone, under any address or by SQL', async () => {
    const evil = await operator(app, ['risk'])
    const self = await operator(app, ['finance'], evil.email.replace('@', '+two@'))
    const lever = await pulled(evil, 'real-trading')
    const release = data<DeskLeverRelease>(await propose(evil, lever))
    for (const who of [evil, self])
      expect(refusal(await approve(who, release))).toEqual([409, 'second_person_required'])
    expect(refusal(await pull(evil, 'real-trading')), 'pulled while a release waits').toEqual([409, 'wrong_state'])
    expect(refusal(await propose(ann, lever)), 'a second release').toEqual([409, 'wrong_state'])
    await expect(sql`update levers set released_at = now() where id = ${lever.id}`.execute(app.db)).rejects.toThrow(
      /not approved by two operators/,
    )
    for (const statement of [
      sql`delete from levers`,
      sql`update levers set reason = 'x'`,
      sql`insert into levers (kind, reason, pulled_by, pulled_at) values ('withdrawals', 'r', ${evil.id}, '2020-01-01')`,
    ])
      await expect(statement.execute(app.db)).rejects.toThrow(/permission denied/)
    for (const reply of await twenty(() => approve(bob, release))) expect([200, 409]).toContain(reply.status)
    expect(refusal(await approve(bob, release)), 'released twice').toEqual([409, 'wrong_state'])
    expect(refusal(await propose(ann, lever)), 'a release of what is released').toEqual([409, 'wrong_state'])
    expect(await auditOf('levers', lever.id)).toMatchObject([{ action: 'pull', operator: evil.email }])
    expect(await auditOf('lever-releases', release.id)).toMatchObject([{ action: 'approve' }, { action: 'propose' }])
    expect(await broken()).toEqual([])
  })

  test('needs the role', async () => {
    for (const who of [auditor, await operator(app, ['support']), await operator(app, ['admin'])])
      expect(refusal(await pull(who, 'maintenance', { notice: 'x' }))).toEqual([403, 'forbidden'])
  })
})

test('verify names a lever without its record, a release without its approval, and a trade that was accepted nevertheless', async () => {
  const trader = await items.verified(100)
  const [{ id }] = (await asSuper(
    `set session_replication_role = 'replica'`,
    `insert into levers (kind, reason, pulled_by, pulled_at, released_at)
      values ('real-trading', 'r', ${ann.id}, now() - interval '1 hour', now() - interval '1 minute') returning id`,
  ).then(() =>
    sql<{ id: string }>`select max(id)::text as id from levers`.execute(app.db).then(({ rows }) => rows),
  )) as [{ id: string }]
  expect((await broken()).map(({ row }) => row)).toMatchObject([{ what: 'pulled' }, { what: 'released' }])
  data(await submit(trader, { mode: 'real' }))
  await asSuper(
    `set session_replication_role = 'replica'`,
    `update levers set released_at = now() + interval '1 minute' where id = ${id}`,
  )
  const trades = (await broken()).filter(({ row }) => 'trade' in (row as object)).length
  expect(trades).toBeGreaterThan(0)
  await asSuper(`set session_replication_role = 'replica'`, `delete from levers where id = ${id}`)
  expect(await broken()).toEqual([])
})
