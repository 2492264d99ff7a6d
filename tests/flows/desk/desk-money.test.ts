import { afterAll, describe, expect, test } from 'vitest'
import type { DeskDeposit } from '#contract/desk/money/deposits.ts'
import type { DeskReversal } from '#contract/desk/money/reversals.ts'
import type { DeskComplaint } from '#contract/desk/people/complaints.ts'
import type { Complaint } from '#contract/trading/complaints.ts'
import { parsePublicId } from '#kernel/id.ts'
import { arrive } from '#tests/support/arrivals.ts'
import { type DeskOperator, operator, startDesk } from '#tests/support/people/desk.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { photo } from '#tests/support/pictures.ts'
import { data, refusal, twenty } from '#tests/support/replies.ts'
import type { Trader } from '#tests/support/servers/app.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

const { app, items, finance, risk, auditOf, notices, asSuper, stop } = await startDesk()
afterAll(stop)

describe('deposits', () => {
  const approve = (who: DeskOperator, id: string, amount: number) =>
    who.ask('POST', `/deposits/${id}/approve`, { body: { amount } })

  test('credits on one approval up to the threshold, above it on two with the same amount', async () => {
    const small = await items.deposits(1_000)
    expect(data<DeskDeposit>(await approve(finance[0]!, small.id, 1_000))).toMatchObject({
      status: 'Approved',
      amount: 1_000,
      approvals: 1,
    })
    const large = await items.deposits(1_000)
    expect(data<DeskDeposit>(await approve(finance[0]!, large.id, 1_000.01))).toMatchObject({
      status: 'Pending',
      approvals: 1,
      approvals_needed: 2,
      claimed_by: null,
    })
    expect(refusal(await approve(finance[0]!, large.id, 1_000.01))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(finance[1]!, large.id, 1_000.02))).toEqual([409, 'wrong_state'])
    expect((await app.balances(large.trader)).balance).toBe(0)
    expect(data<DeskDeposit>(await approve(finance[1]!, large.id, 1_000.01))).toMatchObject({ status: 'Approved' })
    expect((await app.balances(large.trader)).balance).toBe(1_000.01)
    const rows = await auditOf('deposits', large.id)
    expect(rows.map(({ action, operator }) => [action, operator])).toEqual([
      ['approve', finance[1]!.email],
      ['approve', finance[0]!.email],
    ])
    expect(rows[0]).toMatchObject({
      before: { status: 'Pending', approvals: 1 },
      after: { status: 'Approved', amount: '1000.01' },
    })
  })

  test('says when coins go to another address since', async () => {
    const { id, trader } = await items.deposits(20)
    const flags = async () => data<DeskDeposit[]>(await finance[0]!.ask('GET', `/deposits?user=${trader.id}`))[0]!.flags
    const replaced = 'Sent to an address that has been replaced since'
    expect(await flags()).not.toContain(replaced)
    const set = (btc_address: string | null) =>
      changeSettings(app.db, { btc_address }, (tx) => tx.updateTable('cashier_settings').set({ btc_address }).execute())
    await set('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4')
    expect(await flags()).toContain(replaced)
    await set(null)
    data(await finance[0]!.ask('POST', `/deposits/${id}/reject`, { body: { reason: 'r' } }))
  })

  test('adds up small deposits that one operator approves for one trader', async () => {
    const [first, second] = [await operator(app, ['finance']), await operator(app, ['finance'])]
    const { id, trader } = await items.deposits(600)
    const another = async (dollars: number) => {
      const body = new FormData()
      body.set('usd_amount', String(dollars))
      body.set('receipt', new Blob([new Uint8Array(await photo())], { type: 'image/jpeg' }), 'receipt.jpg')
      const reply = await app.send('POST', '/api/deposit', { token: trader.token, body })
      const { deposit_id } = data<{ deposit_id: string }>(reply)
      await arrive(app.db, parsePublicId(deposit_id)!)
      return deposit_id
    }
    expect(data<DeskDeposit>(await approve(first, id, 600))).toMatchObject({ status: 'Approved' })
    const over = await another(500)
    const within = await another(400)
    const apart = await another(500)
    expect(data<DeskDeposit>(await approve(first, over, 500))).toMatchObject({ status: 'Pending', approvals_needed: 2 })
    expect(data<DeskDeposit>(await approve(first, within, 400))).toMatchObject({ status: 'Approved' })
    expect(data<DeskDeposit>(await approve(second, over, 500))).toMatchObject({ status: 'Approved' })
    expect(data<DeskDeposit>(await approve(second, apart, 500)), 'two people approved the other one').toMatchObject({
      status: 'Approved',
    })
    // Withdrawals count together with deposits.
    const sent = await app.send('POST', '/api/withdraw', {
      token: trader.token,
      body: { amount: 100, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' },
    })
    const { withdraw_id: out } = data<{ withdraw_id: string }>(sent)
    expect(data(await first.ask('POST', `/withdrawals/${out}/approve`))).toMatchObject({ status: 'Pending' })
    // After a day they no longer count.
    await asSuper(
      `set session_replication_role = 'replica'`,
      `update deposit_approvals set at = at - interval '24 hours' where operator_id = ${first.id}`,
    )
    expect(data<DeskDeposit>(await approve(first, await another(1_000), 1_000))).toMatchObject({ status: 'Approved' })
  })

  test('adds them up in the database too', async () => {
    const { id, trader } = await items.deposits(900)
    const other = await items.deposits(200)
    const who = await operator(app, ['finance'])
    data(await approve(who, id, 900))
    const number = parsePublicId(other.id)
    await expect(
      asSuper(
        'begin',
        `update deposits set user_id = ${trader.id} where id = ${number}`,
        `insert into deposit_approvals (deposit_id, operator_id, amount) values (${number}, ${who.id}, 20000)`,
        `update deposits set status = 'Approved', credited = 20000, decided_at = now() where id = ${number}`,
      ),
    ).rejects.toThrow(/lacks an approval/)
  })

  test('takes two people to reverse a deposit', async () => {
    const { id, trader } = await items.deposits(500)
    data(await approve(finance[0]!, id, 500))
    const propose = (who: DeskOperator, amount: number, reference = `R-${id}`) =>
      who.ask('POST', `/deposits/${id}/reverse`, { body: { amount, reference, reason: 'The bank called it back.' } })
    expect(refusal(await propose(finance[0]!, 500.01))).toEqual([409, 'wrong_state'])
    const reversal = data<DeskReversal>(await propose(finance[0]!, 200))
    expect(reversal).toMatchObject({ status: 'Pending', amount: 200, deposit_id: id, credited: 500, reversed: 0 })
    expect((await app.balances(trader)).balance, 'one person alone moves nothing').toBe(500)
    expect(refusal(await propose(finance[1]!, 100, 'another'))).toEqual([409, 'wrong_state'])
    const decide = (who: DeskOperator, what: 'approve' | 'reject', of = reversal.id) =>
      who.ask('POST', `/reversals/${of}/${what}`, what === 'reject' ? { body: { reason: 'No.' } } : {})
    for (const what of ['approve', 'reject'] as const)
      expect(refusal(await decide(finance[0]!, what))).toEqual([409, 'second_person_required'])
    const many = await twenty(() => decide(finance[1]!, 'approve'))
    expect(many.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await app.balances(trader)).balance).toBe(300)
    expect(refusal(await propose(finance[0]!, 200)), 'the same reference again').toEqual([409, 'wrong_state'])
    const rejected = data<DeskReversal>(await propose(finance[1]!, 300, 'wrong one'))
    expect(data(await decide(finance[0]!, 'reject', rejected.id))).toMatchObject({ status: 'Rejected', reversed: 200 })
    expect((await auditOf('reversals', reversal.id)).map(({ action }) => action)).toEqual(['approve', 'propose'])
    expect((await app.balances(trader)).balance).toBe(300)
  })

  test('rejects one person on both sides of a reversal in the database', async () => {
    const { id } = await items.deposits(500)
    data(await approve(finance[0]!, id, 500))
    const number = parsePublicId(id)
    await expect(
      app.pool.query(
        `insert into reversal_proposals (id, deposit_id, amount, reference) values (999999, $1, 100, 'r')`,
        [number],
      ),
    ).rejects.toThrow(/no new proposal/)
    await expect(
      app.pool.query(`insert into deposit_reversals (id, deposit_id, amount, reference) values (1, $1, 100, 'alone')`, [
        number,
      ]),
    ).rejects.toThrow(/neither an approved proposal/)
  })

  test('credits once on twenty approvals at once', async () => {
    const { id, trader } = await items.deposits(500)
    const many = await Promise.all(Array.from({ length: 3 }, () => operator(app, ['finance'])))
    const replies = await twenty((n) => approve(many[n % 3]!, id, 500))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const reply of replies) expect([200, 409]).toContain(reply.status)
    expect((await app.balances(trader)).balance).toBe(500)
    expect(await auditOf('deposits', id)).toHaveLength(1)
  })

  test('notifies the trader in the app and by e-mail', async () => {
    const { id, trader } = await items.deposits(50)
    await finance[0]!.ask('POST', `/deposits/${id}/reject`, { body: { reason: 'Nothing arrived.' } })
    expect((await notices(trader)).map(({ text }) => text).join()).toContain('Nothing arrived.')
  })

  test('shows receipts and bank numbers to finance and audits each view', async () => {
    const { id } = await items.deposits()
    const receipt = await finance[0]!.ask('GET', `/deposits/${id}/receipt`)
    expect([receipt.status, receipt.headers.get('content-type')]).toEqual([200, 'image/jpeg'])
    expect((await auditOf('deposits', id)).map(({ action }) => action)).toEqual(['view'])
    const bank = await items.bank()
    const row = data<{ wallet: string }[]>(await finance[0]!.ask('GET', `/withdrawals?user=${bank.trader.id}`))[0]!
    expect(row.wallet).toBe('Bank, account ending 6789')
    expect(data(await finance[0]!.ask('GET', `/withdrawals/${bank.id}/bank`))).toMatchObject({
      account_number: '000123456789',
      routing_number: '021000021',
    })
    expect((await auditOf('withdrawals', bank.id)).map(({ action }) => action)).toEqual(['view'])
    const { rows } = await app.pool.query(`select * from audit where after::text like '%000123456789%'`)
    expect(rows).toEqual([])
  })
})

describe('withdrawals', () => {
  test('takes two people to approve above the threshold; then anyone in finance can pay', async () => {
    const { id, trader } = await items.withdrawals(2_000)
    const approve = (who: DeskOperator) => who.ask('POST', `/withdrawals/${id}/approve`)
    expect(data(await approve(finance[0]!))).toMatchObject({ status: 'Pending', approvals: 1, approvals_needed: 2 })
    const reference = transactionId()
    const early = await finance[0]!.ask('POST', `/withdrawals/${id}/paid`, { body: { reference } })
    expect(refusal(early)).toEqual([409, 'wrong_state'])
    expect(data(await approve(finance[1]!))).toMatchObject({ status: 'Processing' })
    const paid = await finance[0]!.ask('POST', `/withdrawals/${id}/paid`, { body: { reference } })
    expect(data(paid)).toMatchObject({ status: 'Paid', reference })
    expect((await app.balances(trader)).balance).toBe(0)
    expect((await auditOf('withdrawals', id)).map(({ action }) => action)).toEqual(['paid', 'approve', 'approve'])
  })

  test('lists all that is open at once, and pending items for a second person', async () => {
    const list = async (query: string) =>
      data<{ id: string }[]>(await finance[0]!.ask('GET', `/withdrawals?${query}&limit=200`)).map(({ id }) => id)
    const [pending, processing, once, rejected] = await Promise.all(
      [100, 100, 5_000, 100].map((dollars) => items.withdrawals(dollars)),
    )
    data(await finance[0]!.ask('POST', `/withdrawals/${processing!.id}/approve`))
    data(await finance[0]!.ask('POST', `/withdrawals/${once!.id}/approve`))
    data(await finance[0]!.ask('POST', `/withdrawals/${rejected!.id}/reject`, { body: { reason: 'r' } }))
    const open = await list('status=to_do&order=oldest')
    expect(open).toEqual(expect.arrayContaining([pending!.id, processing!.id, once!.id]))
    expect(open).not.toContain(rejected!.id)
    expect(await list('status=Pending')).not.toContain(processing!.id)
    const second = await list('approved=once')
    expect(second).toContain(once!.id)
    expect(second).not.toContain(pending!.id)
    expect(second).not.toContain(processing!.id)
  })
})

describe('adjustments', () => {
  const propose = (trader: Trader, body: object) =>
    finance[0]!.ask('POST', `/users/${trader.id}/adjustments`, { body: { reason: 'a mistake of ours', ...body } })
  const decide = (who: DeskOperator, id: string, step: 'approve' | 'reject') =>
    who.ask('POST', `/adjustments/${id}/${step}`, step === 'reject' ? { body: { reason: 'no' } } : {})

  test('move money once, only after a second operator approves, in both accounts', async () => {
    const trader = await app.trader()
    for (const [book, amount] of [
      ['real', 25.5],
      ['demo', -1_000.01],
    ] as const) {
      const { id } = data<{ id: string }>(await propose(trader, { book, amount }))
      expect((await app.balances(trader)).demo_balance).toBe(10_000)
      expect(refusal(await decide(finance[0]!, id, 'approve'))).toEqual([409, 'second_person_required'])
      expect(refusal(await decide(finance[0]!, id, 'reject'))).toEqual([409, 'second_person_required'])
      const replies = await twenty(() => decide(finance[1]!, id, 'approve'))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(409)])
    }
    expect(await app.balances(trader)).toEqual({ balance: 25.5, demo_balance: 8_999.99 })
    expect((await notices(trader)).map(({ title }) => title)).toEqual([
      '$1,000.01 was taken from your demo account',
      '$25.50 was added to your real account',
    ])
  })

  test('never go below zero, and a rejected approval leaves the proposal pending', async () => {
    const trader = await items.verified(10)
    const { id } = data<{ id: string }>(await propose(trader, { book: 'real', amount: -10.01 }))
    expect(refusal(await decide(finance[1]!, id, 'approve'))).toEqual([422, 'insufficient_balance'])
    const [row] = data<{ status: string }[]>(await finance[1]!.ask('GET', `/adjustments?user=${trader.id}`))
    expect(row).toMatchObject({ status: 'Pending', amount: -10.01 })
    expect((await auditOf('adjustments', id)).map(({ action }) => action)).toEqual(['propose'])
    expect(data(await decide(finance[1]!, id, 'reject'))).toMatchObject({ status: 'Rejected', decision_reason: 'no' })
  })

  test.each([0, -0, 0.001, 1e21, '5', null, [5], true])('rejects %j as an amount', async (amount) => {
    const trader = await app.trader()
    expect(refusal(await propose(trader, { book: 'real', amount }))).toEqual([422, 'validation_failed'])
  })

  test('reject one person for both in the database', async () => {
    const trader = await app.trader()
    const { id } = data<{ id: string }>(await propose(trader, { book: 'real', amount: 5 }))
    const alone = app.pool.query(
      `update proposals set status = 'Approved', decided_by = proposed_by where kind = 'adjustments' and id = $1`,
      [id],
    )
    await expect(alone).rejects.toThrow(/own proposal/)
    await decide(finance[1]!, id, 'reject')
  })
})

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ 'idempotency-key': key })

  test('creates a proposal once and always replays its first response', async () => {
    const { trader } = await items.users()
    const propose = (who: DeskOperator, amount: number, key = 'one adjustment') =>
      who.ask('POST', `/users/${trader.id}/adjustments`, {
        body: { book: 'demo', amount, reason: 'r' },
        headers: keyed(key),
      })
    const replies = await twenty(() => propose(finance[0]!, 5))
    const [first] = replies
    expect(first!.status).toBe(200)
    for (const reply of replies) expect(reply.json).toEqual(first!.json)
    const { id } = data<{ id: string }>(first!)
    data(await finance[1]!.ask('POST', `/adjustments/${id}/approve`))
    expect((await propose(finance[0]!, 5)).json).toEqual(first!.json)
    expect(refusal(await propose(finance[0]!, 6))).toEqual([409, 'idempotency_mismatch'])
    expect(data<{ id: string }>(await propose(finance[1]!, 5)).id, "another operator's key").not.toBe(id)
    expect(await auditOf('adjustments', id)).toHaveLength(2)
  })

  test('approves, rejects, reverses and pays once, replaying the first response', async () => {
    const deposit = await items.deposits(500)
    const withdrawal = await items.withdrawals(100)
    for (const [path, body] of [
      [`/deposits/${deposit.id}/approve`, { amount: 500 }],
      [`/deposits/${deposit.id}/reverse`, { amount: 10, reference: `K-${deposit.id}`, reason: 'r' }],
      [`/withdrawals/${withdrawal.id}/approve`, undefined],
      [`/withdrawals/${withdrawal.id}/paid`, { reference: transactionId() }],
    ] as const) {
      const sent = { headers: keyed(path), ...(body ? { body } : {}) }
      const first = await finance[0]!.ask('POST', path, sent)
      expect(first.status, first.text).toBe(200)
      const again = await finance[0]!.ask('POST', path, sent)
      expect([again.status, again.text]).toEqual([200, first.text])
    }
    expect(
      data<DeskDeposit>(
        await finance[1]!.ask('POST', `/deposits/${(await items.deposits(50)).id}/reject`, {
          body: { reason: 'r' },
          headers: keyed('reject'),
        }),
      ),
    ).toMatchObject({ status: 'Rejected' })
    expect((await app.balances(deposit.trader)).balance).toBe(500)
  })

  test('gets a response even if it could not be stored, and still takes effect once', async () => {
    const { id, trader } = await items.deposits(50)
    const approve = () =>
      finance[0]!.ask('POST', `/deposits/${id}/approve`, { body: { amount: 50 }, headers: keyed('not stored') })
    await asSuper(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'cut off'; end $$`,
      'create trigger refuse before update on operator_request_keys for each row execute function refuse()',
    )
    const first = await approve().finally(() =>
      asSuper('drop trigger refuse on operator_request_keys', 'drop function refuse'),
    )
    expect(data<DeskDeposit>(first)).toMatchObject({ status: 'Approved' })
    expect(refusal(await approve())).toEqual([409, 'wrong_state'])
    expect((await app.balances(trader)).balance).toBe(50)
  })

  test('can be reused after a rejection', async () => {
    const { id } = await items.deposits(50)
    const approve = (amount: number) =>
      finance[0]!.ask('POST', `/deposits/${id}/approve`, { body: { amount }, headers: keyed('tried twice') })
    data(await finance[1]!.ask('POST', `/deposits/${id}/claim`))
    expect(refusal(await approve(50))).toEqual([409, 'claimed'])
    data(await finance[1]!.ask('POST', `/deposits/${id}/release`))
    data(await approve(50))
  })
})

describe('complaints', () => {
  const propose = (who: DeskOperator, id: string, body: object) =>
    who.ask('POST', `/complaints/${id}/propose`, {
      body: { finding: 'too_slow', reason: 'It took ten days.', ...body },
    })
  const approve = (who: DeskOperator, id: string) => who.ask('POST', `/complaints/${id}/approve`)

  test('a ruling by two finance operators credits a trader once, as an adjustment with one record', async () => {
    const { id, trader } = await items.complaints()
    const { balance } = await app.balances(trader)
    expect(refusal(await propose(risk[0]!, id, { credit: 2.5 })), 'finance rules about payments').toEqual([
      409,
      'wrong_state',
    ])
    const proposed = data<{ status: string; claimed_by: null }>(await propose(finance[0]!, id, { credit: 2.5 }))
    expect(proposed).toMatchObject({ status: 'Proposed', claimed_by: null, ruling: { credit: 2.5, decided_by: null } })
    expect(refusal(await approve(finance[0]!, id))).toEqual([409, 'second_person_required'])
    const [row] = data<DeskComplaint[]>(await finance[1]!.ask('GET', `/complaints?status=Proposed&user=${trader.id}`))
    expect(row).toMatchObject({ id, evidence: { verified: true }, own: false })
    expect((await app.balances(trader)).balance, 'nothing has moved').toBe(balance)

    const replies = await twenty(() => approve(finance[1]!, id))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
    expect((await app.balances(trader)).balance).toBe(balance + 2.5)
    const [complaint] = data<Complaint[]>(await app.send('GET', '/api/complaints', { token: trader.token }))
    expect(complaint).toMatchObject({ id, status: 'Upheld', ruling: { finding: 'too_slow', tick: null }, remedy: 2.5 })
    expect(JSON.stringify(complaint), 'no operator is named').not.toContain('@desk.example')
    expect((await auditOf('complaints', id)).map(({ action, operator }) => [action, operator])).toEqual([
      ['approve', finance[1]!.email],
      ['propose', finance[0]!.email],
    ])
    expect((await notices(trader)).map(({ title }) => title).slice(0, 2)).toEqual([
      'Your complaint was upheld',
      '$2.50 was added to your real account',
    ])
  })

  test('a rejected proposal moves no money, and the complaint is open again', async () => {
    const { id, trader } = await items.complaints()
    const { balance } = await app.balances(trader)
    data(await propose(finance[0]!, id, { credit: 40 }))
    const body = { reason: 'That is too much.' }
    data(await finance[1]!.ask('POST', `/complaints/${id}/send-back`, { body }))
    expect(refusal(await approve(finance[1]!, id))).toEqual([409, 'wrong_state'])
    const [row] = data<DeskComplaint[]>(await finance[0]!.ask('GET', `/complaints?user=${trader.id}`))
    expect(row).toMatchObject({ status: 'Open', ruling: { decision_reason: 'That is too much.' } })
    expect((await app.balances(trader)).balance).toBe(balance)
  })
})
