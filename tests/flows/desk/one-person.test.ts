import { afterAll, describe, expect, test } from 'vitest'
import { parsePublicId } from '#kernel/id.ts'
import { cashierChecks } from '#server/invariants/checks/cashier.ts'
import { sql } from '#server/platform/database/db.ts'
import { arrive } from '#tests/support/arrivals.ts'
import { type DeskOperator, operator, startDesk, type Waiting } from '#tests/support/people/desk.ts'
import { EMAIL_KEYS } from '#tests/support/people/email-keys.ts'
import { photo } from '#tests/support/pictures.ts'
import { data, refusal } from '#tests/support/replies.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { transactionId } from '#tests/support/transaction-id.ts'

/** What one insider tries to do alone, with several addresses, accounts and puppets. */
const desk = await startDesk()
const { app, items, finance, admin, asSuper } = desk
const roles = [
  await operator(app, ['risk']),
  await operator(app, ['compliance']),
  await operator(app, ['support']),
] as const
afterAll(desk.stop)

/** Runs statements with the application's login, and rolls back what they leave open. */
async function asApp(...statements: string[]): Promise<void> {
  const client = await connectTo(app.appUrl)
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

const tagged = (email: string, tag: string) => email.replace('@', `+${tag}@`)
const approve = (who: DeskOperator, id: string, amount: number) =>
  who.ask('POST', `/deposits/${id}/approve`, { body: { amount } })

describe('two addresses of one person', () => {
  test.each(Object.entries(EMAIL_KEYS))('in the database too, the key of %s is %s', async (email, key) => {
    const { rows } = await sql`select email_key_of(${email}) as key`.execute(app.db)
    expect(rows).toEqual([{ key }])
  })

  test('do not let an operator act on their own account as a trader', async () => {
    const { id, trader } = await items.deposits(100)
    const out = await items.withdrawals(50)
    const plan = await items['plan-requests']()
    const self = await operator(app, ['finance', 'risk'], tagged(trader.email, 'desk'))
    const [shown] = data<{ own: boolean }[]>(await self.ask('GET', `/deposits?user=${trader.id}`))
    expect(shown).toMatchObject({ own: true })
    expect(refusal(await approve(self, id, 100))).toEqual([409, 'own_item'])
    expect(refusal(await self.ask('POST', `/deposits/${id}/claim`))).toEqual([409, 'own_item'])
    const lock = { body: { trading: false, reason: 'me' } }
    expect(refusal(await self.ask('POST', `/users/${trader.id}/locks`, lock))).toEqual([409, 'own_item'])
    const payer = await operator(app, ['finance'], tagged(out.trader.email.toUpperCase(), 'A'))
    expect(refusal(await payer.ask('POST', `/withdrawals/${out.id}/approve`))).toEqual([409, 'own_item'])
    const planner = await operator(app, ['finance'], tagged(plan.trader.email, 'b'))
    expect(refusal(await planner.ask('POST', `/plan-requests/${plan.id}/approve`))).toEqual([409, 'own_item'])
    await expect(
      asSuper(`insert into deposit_approvals (deposit_id, operator_id, amount)
        select max(id), ${self.id}, 10000 from deposits where user_id = ${trader.id}`),
    ).rejects.toThrow(/approve their own item/)
  })

  test('do not complete an amount above the threshold', async () => {
    const first = await operator(app, ['finance'])
    const second = await operator(app, ['finance'], tagged(first.email, 'two'))
    const { id } = await items.deposits(50_000)
    expect(data(await approve(first, id, 50_000))).toMatchObject({ status: 'Pending', approvals: 1 })
    expect(refusal(await approve(second, id, 50_000))).toEqual([409, 'second_person_required'])
    const out = await items.withdrawals(5_000)
    data(await first.ask('POST', `/withdrawals/${out.id}/approve`))
    expect(refusal(await second.ask('POST', `/withdrawals/${out.id}/approve`))).toEqual([409, 'second_person_required'])
    expect(data(await approve(finance[0]!, id, 50_000))).toMatchObject({ status: 'Approved' })
  })

  test('do not decide a proposal or get a second invitation', async () => {
    const first = await operator(app, ['admin'])
    const second = await operator(app, ['admin'], tagged(first.email, 'two'))
    const change = { body: { stake_max: 9_000, reason: 'more' } }
    const { id } = data<{ id: string }>(await first.ask('PATCH', '/settings', change))
    expect(refusal(await second.ask('POST', `/settings/changes/${id}/approve`))).toEqual([
      409,
      'second_person_required',
    ])
    data(await admin[0]!.ask('POST', `/settings/changes/${id}/reject`, { body: { reason: 'no' } }))
    const invite = (email: string) => admin[0]!.ask('POST', '/operators', { body: { email, roles: ['risk'] } })
    expect(refusal(await invite(tagged(first.email, 'three')))).toEqual([409, 'already_exists'])
    data(await invite('new-here@desk.example'))
    expect(refusal(await invite('New-Here+2@desk.example'))).toEqual([409, 'wrong_state'])
  })
})

const pay = (who: DeskOperator, id: string) => who.ask('POST', `/withdrawals/${id}/approve`)
const several = async <T>(times: number, make: () => Promise<T>): Promise<T[]> => {
  const made: T[] = []
  for (let n = 0; n < times; n++) made.push(await make())
  return made
}

describe('what one person approves alone for several traders', () => {
  test('adds up for withdrawals, to the cent, under each of their accounts', async () => {
    const first = await operator(app, ['finance'])
    const other = await operator(app, ['finance'], tagged(first.email, 'two'))
    const [half, rest, cent] = [
      await items.withdrawals(500),
      await items.withdrawals(490),
      await items.withdrawals(10.01),
    ]
    expect(data(await pay(first, half.id))).toMatchObject({ status: 'Processing' })
    expect(data(await pay(other, rest.id))).toMatchObject({ status: 'Processing' })
    expect(data(await pay(other, cent.id))).toMatchObject({ status: 'Pending', approvals: 1, approvals_needed: 2 })
    expect(refusal(await pay(first, cent.id))).toEqual([409, 'second_person_required'])
    expect(data(await pay(finance[0]!, cent.id))).toMatchObject({ status: 'Processing', approvals: 2 })
    expect(data(await pay(first, (await items.withdrawals(10)).id)), 'two people approved the other one').toMatchObject(
      {
        status: 'Processing',
      },
    )
    const later = await items.withdrawals(10.01)
    expect(data(await pay(first, later.id))).toMatchObject({ status: 'Pending' })
    const { id } = await items.deposits(1_000)
    expect(data(await approve(first, id, 1_000)), 'deposits have their own sum').toMatchObject({ status: 'Approved' })
    // After a day they no longer count.
    await asSuper(
      `set session_replication_role = 'replica'`,
      `update withdrawal_approvals set at = at - interval '24 hours' where operator_id in (${first.id}, ${other.id})`,
    )
    expect(data(await pay(first, (await items.withdrawals(1_000)).id))).toMatchObject({ status: 'Processing' })
  })

  test('stays within the sum on twenty approvals at once', async () => {
    const who = await operator(app, ['finance'])
    const waiting = await several(20, () => items.withdrawals(90))
    const done = await Promise.all(waiting.map(({ id }) => pay(who, id)))
    const statuses = done.map((reply) => data<{ status: string }>(reply).status)
    expect(statuses.filter((status) => status === 'Processing')).toHaveLength(11)
    expect(statuses.filter((status) => status === 'Pending')).toHaveLength(9)
  })

  test('adds up for deposits, with a limit that two admins set', async () => {
    const change = { body: { deposit_operator_day_amount: 1_500, reason: 'fewer' } }
    const { id } = data<{ id: string }>(await admin[0]!.ask('PATCH', '/settings', change))
    data(await admin[1]!.ask('POST', `/settings/changes/${id}/approve`))
    expect(data(await admin[0]!.ask('GET', '/settings'))).toMatchObject({
      deposit_operator_day_amount: 1_500,
      withdraw_operator_day_amount: 1_000,
    })
    const who = await operator(app, ['finance'])
    const [one, two, three] = await several(3, () => items.deposits(800))
    expect(data(await approve(who, one!.id, 800))).toMatchObject({ status: 'Approved' })
    expect(data(await approve(who, two!.id, 700.01))).toMatchObject({ status: 'Pending', approvals_needed: 2 })
    expect(data(await approve(who, three!.id, 700))).toMatchObject({ status: 'Approved' })
    expect(data(await approve(finance[1]!, two!.id, 700.01))).toMatchObject({ status: 'Approved' })
  })

  test('adds up in the database too', async () => {
    const who = await operator(app, ['finance'])
    data(await pay(who, (await items.withdrawals(600)).id))
    const { trader } = await items.withdrawals(600)
    await expect(
      asSuper(
        'begin',
        `insert into withdrawal_approvals (withdrawal_id, operator_id) select id, ${who.id} from withdrawals where user_id = ${trader.id}`,
        `update withdrawals set status = 'Processing', processing_at = now() where user_id = ${trader.id}`,
      ),
    ).rejects.toThrow(/lacks an approval/)
  })
})

describe("one person on both sides of a trader's money", () => {
  test('does not approve a withdrawal after the deposit or the identity', async () => {
    const [depositor, checker] = [await operator(app, ['finance']), await operator(app, ['finance', 'compliance'])]
    const again = await operator(app, ['finance'], tagged(depositor.email, 'two'))
    const { id, trader } = await items.withdrawals(100)
    const body = new FormData()
    body.set('usd_amount', '50')
    body.set('receipt', new Blob([new Uint8Array(await photo())], { type: 'image/jpeg' }), 'receipt.jpg')
    const sent = await app.send('POST', '/api/deposit', { token: trader.token, body })
    const { deposit_id } = data<{ deposit_id: string }>(sent)
    await arrive(app.db, parsePublicId(deposit_id)!)
    data(await approve(depositor, deposit_id, 50))
    for (const who of [again, depositor]) {
      expect(data(await pay(who, id))).toMatchObject({ status: 'Pending', approvals: 1, approvals_needed: 2 })
      data(await who.ask('POST', `/withdrawals/${id}/withdraw-approval`))
    }
    data(await pay(depositor, id))
    const paid = { body: { reference: transactionId() } }
    expect(refusal(await depositor.ask('POST', `/withdrawals/${id}/paid`, paid))).toEqual([409, 'wrong_state'])
    expect(data(await pay(checker, id))).toMatchObject({ status: 'Processing', approvals: 2 })
    expect(data(await depositor.ask('POST', `/withdrawals/${id}/paid`, paid))).toMatchObject({ status: 'Paid' })

    const checked = await items['identity-checks']()
    data(await checker.ask('POST', `/identity-checks/${checked.id}/approve`))
    await sql`update users set email_confirmed_at = now() where id = ${checked.trader.id}`.execute(app.db)
    await app.fund(checked.trader, 100)
    const request = async () => {
      const wallet = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
      const reply = await app.send('POST', '/api/withdraw', {
        token: checked.trader.token,
        body: { amount: 20, wallet },
      })
      return data<{ withdraw_id: string }>(reply).withdraw_id
    }
    expect(data(await pay(checker, await request()))).toMatchObject({ status: 'Pending', approvals: 1 })
    expect(data(await pay(depositor, await request())), 'another person is enough').toMatchObject({
      status: 'Processing',
      approvals: 1,
    })
  })

  test('does not credit more than was submitted', async () => {
    const who = await operator(app, ['finance'])
    const { id } = await items.deposits(100)
    expect(data(await approve(who, id, 100.01))).toMatchObject({ status: 'Pending', approvals: 1, approvals_needed: 2 })
    expect(data(await approve(finance[0]!, id, 100.01))).toMatchObject({ status: 'Approved', amount: 100.01 })
    expect(data(await approve(who, (await items.deposits(100)).id, 100))).toMatchObject({ status: 'Approved' })
  })
})

describe('one person does not', () => {
  const [risk, compliance, support] = roles
  const locks = (who: DeskOperator, id: string, body: object) => who.ask('POST', `/users/${id}/locks`, { body })
  const shown = async (id: string) =>
    data<{ locks: object; exclusions: { kind: string; ends_at: string | null }[] }>(
      await risk.ask('GET', `/users/${id}`),
    )

  test("lift another role's lock", async () => {
    const { id } = await app.trader()
    data(await locks(compliance, id, { deposits: true, sign_in: true, trading: true, reason: 'doubts' }))
    expect(refusal(await locks(risk, id, { deposits: false, reason: 'none' }))).toEqual([409, 'second_person_required'])
    expect(refusal(await locks(risk, id, { withdrawals: true, deposits: false, reason: 'none' }))).toEqual([
      409,
      'second_person_required',
    ])
    data(await locks(await operator(app, ['compliance']), id, { sign_in: false, reason: 'the same role' }))
    const unlock = { body: { locks: ['deposits', 'trading'], reason: 'clear now' } }
    const change = data<{ id: string }>(await risk.ask('POST', `/users/${id}/unlocks`, unlock))
    expect(refusal(await risk.ask('POST', `/users/${id}/unlocks`, unlock))).toEqual([409, 'wrong_state'])
    const approve = (who: DeskOperator) => who.ask('POST', `/account-changes/${change.id}/approve`)
    expect(refusal(await approve(risk))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(await operator(app, ['risk'], tagged(risk.email, 'two'))))).toEqual([
      409,
      'second_person_required',
    ])
    expect(refusal(await approve(support)), 'support does not unlock').toEqual([403, 'forbidden'])
    expect(await shown(id)).toMatchObject({ locks: { deposits: true, trading: true } })
    const second = await operator(app, ['risk'])
    expect(data(await approve(second))).toMatchObject({ status: 'Approved', locks: ['deposits', 'trading'] })
    expect(await shown(id)).toMatchObject({ locks: { deposits: false, trading: false, sign_in: false } })
  })

  test("lift another role's lock by SQL", async () => {
    const { id } = await app.trader()
    data(await locks(compliance, id, { deposits: true, sign_in: true, trading: true, reason: 'doubts' }))
    const run = (...statements: string[]) => asApp('begin', ...statements)
    const lift = (by: string) => `insert into lock_lifts (user_id, kind, operator_id) values (${id}, 'deposits', ${by})`
    await expect(run(lift(risk.id))).rejects.toThrow(/neither its role nor two people/)
    await expect(run(`delete from user_locks where user_id = ${id}`)).rejects.toThrow(/nobody lifted/)
    await expect(run(`update user_locks set operator_id = ${risk.id} where user_id = ${id}`)).rejects.toThrow(/denied/)
    await expect(run(`update accounts set trading_locked = false where user_id = ${id}`)).rejects.toThrow(/is locked/)
    await expect(run(`update users set sign_in_locked_at = null where id = ${id}`)).rejects.toThrow(/is locked/)
    const approved = (by: string, locked: string) => [
      `insert into proposals (kind, subject, payload, reason, proposed_by)
        values ('account-changes', 'unlock ${id}', '{"kind": "unlock", "locks": ["${locked}"]}', 'r', ${risk.id})`,
      `update proposals set status = 'Approved', decided_by = ${by} where subject = 'unlock ${id}'`,
      lift(risk.id),
    ]
    await expect(run(...approved(risk.id, 'deposits'))).rejects.toThrow(/own proposal/)
    await expect(run(...approved(support.id, 'trading')), 'another lock').rejects.toThrow(/neither its role/)
    await expect(run(...approved(support.id, 'deposits'), 'rollback')).resolves.not.toThrow()
  })

  test('exclude permanently as support', async () => {
    const { id } = await app.trader()
    const permanent = { body: { kind: 'exclusion', months: null, reason: 'by phone' } }
    expect(data(await support.ask('POST', `/users/${id}/exclusion`, permanent))).toMatchObject({
      block: { kind: 'time_out' },
    })
    const [change] = data<{ id: string }[]>(await support.ask('GET', `/account-changes?user=${id}`))
    expect(change).toMatchObject({ kind: 'exclude', status: 'Pending', own: true })
    const approve = (who: DeskOperator) => who.ask('POST', `/account-changes/${change!.id}/approve`)
    expect(refusal(await approve(support))).toEqual([409, 'second_person_required'])
    expect(await shown(id)).toMatchObject({ exclusions: [{ kind: 'time_out' }] })
    data(await approve(await operator(app, ['support'])))
    expect(await shown(id)).toMatchObject({ exclusions: [{ kind: 'exclusion', ends_at: null }, { kind: 'time_out' }] })
    const other = await app.trader()
    expect(data(await risk.ask('POST', `/users/${other.id}/exclusion`, permanent))).toMatchObject({
      block: { kind: 'exclusion', until: null },
    })
    const third = await app.trader()
    await expect(
      asApp(`insert into exclusions (user_id, kind, operator_id, reason, email_key, name_key)
        values (${third.id}, 'exclusion', ${support.id}, 'r', 'e', 'n')`),
    ).rejects.toThrow(/approved by two people/)
  })

  test('end an admin', async () => {
    const gone = await operator(app, ['admin', 'risk'])
    const end = { body: { reason: 'left' } }
    expect(data(await admin[0]!.ask('POST', `/operators/${gone.id}/end`, end))).toEqual({ ended: false })
    expect((await gone.ask('GET', '/auth/me')).status).toBe(200)
    const [change] = data<{ id: string }[]>(await admin[0]!.ask('GET', '/operator-changes?status=Pending'))
    expect(change).toMatchObject({ kind: 'end', email: gone.email })
    const approve = (who: DeskOperator) => who.ask('POST', `/operator-changes/${change!.id}/approve`)
    expect(refusal(await approve(admin[0]!))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(gone))).toEqual([409, 'own_item'])
    data(await approve(admin[1]!))
    expect((await gone.ask('GET', '/auth/me')).status).toBe(401)
    const left = await operator(app, ['risk'])
    expect(data(await admin[0]!.ask('POST', `/operators/${left.id}/end`, end))).toEqual({ ended: true })
    for (const set of ['ended_at = now()', 'ended_at = null'])
      await expect(
        asApp(`update operators set ${set} where id = ${set.includes('null') ? gone.id : admin[1]!.id}`),
      ).rejects.toThrow(/two admins|has ended/)
  })

  test('reject a deposit above the threshold', async () => {
    const reject = (who: DeskOperator, id: string) =>
      who.ask('POST', `/deposits/${id}/reject`, { body: { reason: `nothing came, says ${who.id}` } })
    const [first, second] = [finance[0]!, finance[1]!]
    const same = await operator(app, ['finance'], tagged(first.email, 'two'))
    const { id, trader } = await items.deposits(1_000.01)
    const proposed = data(await reject(first, id))
    expect(proposed).toMatchObject({ status: 'Pending', rejection: { email: first.email } })
    for (const who of [first, same]) expect(refusal(await reject(who, id))).toEqual([409, 'second_person_required'])
    expect(refusal(await approve(first, id, 900))).toEqual([409, 'second_person_required'])
    expect(data(await reject(second, id))).toMatchObject({
      status: 'Rejected',
      reason: `nothing came, says ${first.id}`,
      rejection: null,
    })
    expect(data(await reject(first, (await items.deposits(1_000)).id))).toMatchObject({ status: 'Rejected' })
    const kept = await items.deposits(1_000.01)
    data(await reject(first, kept.id))
    expect(data(await approve(second, kept.id, 900)), 'approving it ends the proposal').toMatchObject({
      status: 'Approved',
      rejection: null,
    })
    const open = await items.deposits(2_000)
    await expect(
      asApp(
        `update deposits set status = 'Rejected', reason = 'r', decided_at = now() where user_id = ${open.trader.id}`,
      ),
    ).rejects.toThrow(/approved by two people/)
    expect(trader.id).not.toBe(open.trader.id)
  })
})

test('an item says from the beginning that this operator needs a second one', async () => {
  const [who, other] = [await operator(app, ['finance']), await operator(app, ['finance'])]
  const needed = async (viewer: DeskOperator, queue: string, { trader }: Waiting) =>
    data<{ approvals_needed: number }[]>(await viewer.ask('GET', `/${queue}?user=${trader.id}`))[0]!.approvals_needed
  data(await pay(who, (await items.withdrawals(600)).id))
  const out = await items.withdrawals(600)
  expect([await needed(who, 'withdrawals', out), await needed(other, 'withdrawals', out)]).toEqual([2, 1])
  const small = await items.withdrawals(100)
  const page = data<{ id: string; approvals_needed: number }[]>(await who.ask('GET', '/withdrawals?status=Pending'))
  const onPage = (id: string) => page.find((item) => item.id === id)?.approvals_needed
  expect([onPage(out.id), onPage(small.id)], 'each item of a page by itself').toEqual([2, 1])
  const deposit = await items.deposits(1_000)
  expect(await needed(who, 'deposits', deposit)).toBe(1)
  for (let sum = 0; sum < 10_000; sum += 1_000) data(await approve(who, (await items.deposits(1_000)).id, 1_000))
  expect([await needed(who, 'deposits', deposit), await needed(other, 'deposits', deposit)]).toEqual([2, 1])
})

describe('verify finds', () => {
  /** Runs the checks after a change that the database would refuse, and rolls it back. Returns what fails. */
  const findings = async (...changes: string[]): Promise<string[]> => {
    const client = await connectTo(app.superUrl)
    try {
      await client.query(`begin; set local session_replication_role = 'replica'`)
      for (const change of changes) expect((await client.query(change)).rowCount, change).not.toBe(0)
      const found: string[] = []
      for (const { name, says, sql: text } of cashierChecks)
        if (name === 'W3' && (await client.query(text)).rowCount) found.push(says)
      return found
    } finally {
      await client.query('rollback')
      await client.end()
    }
  }
  const TWICE = 'no one approved an item twice, under two accounts or addresses'
  const OWN = 'no one approved their own item'
  const LIMITS =
    'what one person approved alone was within the limits of that time, for the trader and for all of 24 hours'
  const SIDES =
    'no one alone credited more than was submitted, or paid a trader whose deposit or identity they approved'

  test('one person with two addresses, and an operator who is the trader', async () => {
    const { id, trader } = await items.withdrawals(2_000)
    const [first, second] = [await operator(app, ['finance']), await operator(app, ['finance'])]
    data(await pay(first, id))
    data(await pay(second, id))
    expect(await findings('update users set phone = phone')).toEqual([])
    const moved = (to: string) => `update operators set email = '${to}' where id = ${second.id}`
    expect(await findings(moved(tagged(first.email, 'two')))).toEqual([TWICE, LIMITS])
    expect(await findings(moved(tagged(trader.email, 'two')))).toEqual([OWN])
  })

  test('amounts and sums above the limits of their time', async () => {
    const who = await operator(app, ['finance'])
    const paid = [await items.withdrawals(600), await items.withdrawals(400)]
    for (const { id } of paid) data(await pay(who, id))
    const number = (n: number) => parsePublicId(paid[n]!.id)
    const more = `update withdrawals set amount = amount + 1 where id = ${number(0)}`
    expect(await findings(more)).toEqual([LIMITS])
    expect(
      await findings(
        more,
        `update withdrawal_approvals set at = at - interval '1 day' where withdrawal_id = ${number(0)}`,
      ),
      'two days',
    ).toEqual([])
    const wider = 'update cashier_settings set withdrawal_operator_day_above = 200000'
    expect(await findings(more, wider), 'a later limit').toEqual([LIMITS])
    const earlier = `insert into approval_limits select processing_at - interval '1 ms', 100000, 100000, 1000000, 100001
      from withdrawals where id = ${number(0)}`
    expect(await findings(more, earlier), 'the limit of that time').toEqual([])
    const { id, trader } = await items.deposits(1_000)
    data(await approve(who, id, 1_000))
    const moved = `update withdrawals set user_id = ${trader.id} where id = ${number(1)}`
    expect(await findings(moved), 'the threshold of the trader').toEqual([LIMITS])
  })

  test('one person who credited too much, or paid after approving the deposit or the identity', async () => {
    const [who, other] = [await operator(app, ['finance', 'compliance']), await operator(app, ['finance'])]
    const { id, trader } = await items.deposits(100)
    data(await approve(who, id, 100))
    const deposit = parsePublicId(id)
    expect(await findings(`update deposits set submitted = 9999 where id = ${deposit}`)).toEqual([SIDES])
    const out = await items.withdrawals(50)
    data(await pay(who, out.id))
    const swap = (to: string) => `update withdrawals set user_id = ${to} where id = ${parsePublicId(out.id)}`
    expect(await findings(swap(trader.id))).toEqual([SIDES])
    const checked = await items['identity-checks']()
    expect(await findings(swap(checked.trader.id))).toEqual([])
    const checkedAt = `update audit set at = at - interval '1 hour' where user_id = ${checked.trader.id}`
    data(await who.ask('POST', `/identity-checks/${checked.id}/approve`))
    expect(await findings(swap(checked.trader.id)), 'approved later').toEqual([])
    expect(await findings(swap(checked.trader.id), checkedAt)).toEqual([SIDES])
    const another = `update withdrawal_approvals set operator_id = ${other.id} where withdrawal_id = ${parsePublicId(out.id)}`
    expect(await findings(swap(trader.id), another), 'another person').toEqual([])
  })
})

test('an item that takes two says that there is no second operator', async () => {
  const [large, small] = [await items.deposits(5_000), await items.deposits(50)]
  const seen = async ({ trader }: Waiting) =>
    data<object[]>(await finance[0]!.ask('GET', `/deposits?user=${trader.id}`))[0]
  expect(await seen(large)).toMatchObject({ approvals_needed: 2, needs_second_operator: false })
  await asSuper(`update operators set ended_at = now() where 'finance' = any(roles) and id <> ${finance[0]!.id}`)
  expect(await seen(large)).toMatchObject({ approvals_needed: 2, needs_second_operator: true })
  expect(await seen(small)).toMatchObject({ approvals_needed: 1, needs_second_operator: false })
})
