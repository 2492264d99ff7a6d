import { afterAll, describe, expect, test } from 'vitest'
import { usd } from '#kernel/money.ts'
import { creditCardDeposit } from '#server/cashier/deposits/decide-deposit.ts'
import { DEPOSIT_NEXT } from '#server/cashier/deposits/deposit.ts'
import { sql } from '#server/platform/database/db.ts'
import { refused, startCashier } from '#tests/support/people/cashier.ts'
import { twenty } from '#tests/support/replies.ts'

const {
  app,
  deps,
  notices,
  ops,
  operator,
  trader,
  deposits,
  balance,
  account,
  step,
  approve,
  reject,
  reverse,
  revoke,
  rejectOut,
  pendingDeposit,
  pendingWithdrawal,
  asSuper,
  stop,
} = await startCashier()
afterAll(stop)

describe('deciding a deposit', () => {
  test('one operator credits up to the threshold, two above it, to the cent', async () => {
    const one = await trader()
    const at = await pendingDeposit(one, '5000')
    await approve(at, ops[0]!, 1_000)
    expect(await balance(one)).toBe(1_000)
    const above = await pendingDeposit(one, '100')
    await approve(above, ops[0]!, 1_000.01)
    expect(await balance(one)).toBe(1_000)
    expect((await deposits(one))[0]).toMatchObject({
      status: 'Pending',
      held_by: 'Second operator (reviewing)',
    })
    await approve(above, ops[1]!, 1_000.01)
    expect(await balance(one)).toBe(2_000.01)
    expect((await deposits(one))[0]).toMatchObject({
      status: 'Approved',
      amount: 1_000.01,
      usd_amount: 100,
      held_by: 'You',
    })
    expect((await deposits(one))[0]).not.toHaveProperty('due_by')
  })

  test('four eyes: rejects the same operator twice, another amount, and an own item', async () => {
    const one = await trader()
    const id = await pendingDeposit(one, '3000')
    const own = await operator(one.email.toUpperCase())
    await expect(approve(id, own, 3_000)).rejects.toEqual(refused('own_item'))
    await expect(reject(id, own)).rejects.toEqual(refused('own_item'))
    await approve(id, ops[0]!, 3_000)
    await expect(approve(id, ops[0]!, 3_000)).rejects.toEqual(refused('second_person_required'))
    await expect(approve(id, ops[1]!, 2_999.99)).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringMatching(/\$3,000\.00\. Both must be for the same amount/),
    })
    // Not even below the threshold, where one operator is enough.
    await expect(approve(id, ops[1]!, 10)).rejects.toEqual(refused('wrong_state'))
    expect(await balance(one)).toBe(0)
    await expect(
      asSuper((db) => db.query(`insert into deposit_approvals values (${id}, ${own.id}, 300000)`)),
    ).rejects.toThrow(/approve their own item/)
    await approve(id, ops[1]!, 3_000)
    expect(await balance(one)).toBe(3_000)
  })

  test('twenty approvals at once credit once, below the threshold and above', async () => {
    const one = await trader()
    const many = await Promise.all(Array.from({ length: 20 }, (_, n) => operator(`many-${n}@desk.example`)))
    for (const amount of [500, 5_000]) {
      const before = await balance(one)
      const id = await pendingDeposit(one, String(amount))
      const done = await Promise.allSettled(many.map((who) => approve(id, who, amount)))
      expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(amount > 1_000 ? 2 : 1)
      for (const result of done) if (result.status === 'rejected') expect(result.reason.code).toBe('wrong_state')
      expect(await balance(one)).toBe(before + amount)
    }
    const id = await pendingDeposit(one, '100')
    const mixed = await Promise.allSettled(many.map((who, n) => (n % 2 ? approve(id, who, 100) : reject(id, who))))
    expect(mixed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('an operator revokes their undecided approval, then approves the right amount', async () => {
    const one = await trader()
    const own = await operator(one.email)
    const id = await pendingDeposit(one, '3000')
    await expect(revoke(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await approve(id, ops[0]!, 30_000)
    await expect(approve(id, ops[1]!, 3_000)).rejects.toEqual(refused('wrong_state'))
    await expect(revoke(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    await expect(revoke(id, own)).rejects.toEqual(refused('own_item'))
    await revoke(id, ops[0]!)
    expect((await deposits(one))[0]).toMatchObject({ status: 'Pending', held_by: 'Operator (reviewing)' })
    await expect(revoke(id, ops[0]!)).rejects.toEqual(refused('wrong_state'))
    await approve(id, ops[0]!, 3_000)
    await expect(approve(id, ops[0]!, 3_000)).rejects.toEqual(refused('second_person_required'))
    expect((await deposits(one))[0]!.status).toBe('Pending')
    await approve(id, ops[1]!, 3_000)
    for (const who of ops) await expect(revoke(id, who)).rejects.toEqual(refused('wrong_state'))
    await expect(revoke(1n, ops[0]!)).rejects.toEqual(refused('not_found'))
  })

  test('of a revocation and a concurrent approval, one wins, and a single approval never credits', async () => {
    const outcomes = new Set<string>()
    for (let round = 0; round < 24; round++) {
      const one = await trader()
      const id = await pendingDeposit(one, '5000')
      await approve(id, ops[0]!, 5_000)
      const both = [() => revoke(id, ops[0]!), () => approve(id, ops[1]!, 5_000)]
      const [first, second] = await Promise.allSettled((round % 2 ? both.toReversed() : both).map((work) => work()))
      const [taken, approved] = round % 2 ? [second!, first!] : [first!, second!]
      expect(approved.status).toBe('fulfilled')
      const { rows } = await sql<{ approvals: number }>`
        select count(*)::int as approvals from deposit_approvals where deposit_id = ${id}`.execute(app.db)
      const found = { status: (await deposits(one))[0]!.status, balance: await balance(one), ...rows[0]! }
      expect(found).toEqual(
        taken.status === 'fulfilled'
          ? { status: 'Pending', balance: 0, approvals: 1 }
          : { status: 'Approved', balance: 5_000, approvals: 2 },
      )
      outcomes.add(taken.status)
    }
    expect([...outcomes].sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('a rejection has a reason, and undefined transitions are rejected', async () => {
    const one = await trader()
    const rejected = await pendingDeposit(one, '100')
    await reject(rejected, ops[0]!, 'Nothing <b>arrived</b>.')
    expect((await deposits(one))[0]).toMatchObject({
      status: 'Rejected',
      reason: 'Nothing <b>arrived</b>.',
      held_by: 'You',
    })
    expect(notices.at(-1)).toMatchObject({ title: 'Your deposit was rejected' })
    const approved = await pendingDeposit(one, '100')
    await approve(approved, ops[0]!, 100)
    expect(notices.at(-1)).toMatchObject({ title: 'Your deposit was credited' })
    for (const id of [rejected, approved]) {
      await expect(approve(id, ops[1]!, 100)).rejects.toEqual(refused('wrong_state'))
      await expect(reject(id, ops[1]!)).rejects.toEqual(refused('wrong_state'))
    }
    await expect(reverse(rejected, 1)).rejects.toEqual(refused('wrong_state'))
    await expect(approve(1n, ops[0]!, 1)).rejects.toEqual(refused('not_found'))
    expect(await balance(one)).toBe(100)
  })

  test('a reversal takes what the balance covers; the rest is owed and repaid first', async () => {
    const one = await trader()
    const id = await pendingDeposit(one, '500')
    await approve(id, ops[0]!, 500)
    const out = await pendingWithdrawal(one, 450)
    await reverse(id, 100, 'dispute 1')
    expect(await account(one)).toEqual({ balance: 0n, hold: 45_000n, owed: -5_000n })
    expect(await reverse(id, 100, 'dispute 1'), 'the same event counts once').toBeUndefined()
    expect((await deposits(one))[0]).toMatchObject({ status: 'Approved', reversed: 100 })
    await expect(reverse(id, 400.01)).rejects.toEqual(refused('wrong_state'))
    // First less than the debt, then more.
    await approve(await pendingDeposit(one, '20'), ops[0]!, 20)
    expect(await account(one)).toEqual({ balance: 0n, hold: 45_000n, owed: -3_000n })
    expect(notices.at(-1)!.text).toContain('$20.00 of it repaid your debt')
    await approve(await pendingDeposit(one, '50'), ops[0]!, 50)
    expect(await account(one)).toEqual({ balance: 2_000n, hold: 45_000n, owed: 0n })
    await rejectOut(out, ops[0]!)
    await reverse(id, 400)
    expect(await account(one)).toEqual({ balance: 7_000n, hold: 0n, owed: 0n })
    expect(await app.broken()).toEqual([])
  })

  test('twenty parallel reversals never exceed the credit, and count one event once', async () => {
    const one = await trader()
    const id = await pendingDeposit(one, '100')
    await approve(id, ops[0]!, 100)
    const done = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => reverse(id, 30, `event ${n % 10}`)))
    expect(done.filter((one) => one.status === 'fulfilled' && one.value !== undefined)).toHaveLength(3)
    expect(await account(one)).toMatchObject({ balance: 1_000n, owed: 0n })
  })

  test('only the provider credits a card deposit, once', async () => {
    const one = await trader()
    const id = deps.newId()
    await app.db
      .insertInto('deposits')
      .values({ id, user_id: BigInt(one.id), method: 'card', submitted: usd(250_000n) })
      .execute()
    await expect(approve(id, ops[0]!, 2_500)).rejects.toEqual(refused('wrong_state'))
    const word = { depositId: id, amount: usd(250_000n), reference: 'payment 1' }
    const done = await twenty(() => step((tx) => creditCardDeposit(deps, tx, word)))
    expect(done.filter((result) => result !== undefined)).toHaveLength(1)
    expect(await balance(one)).toBe(2_500)
    expect((await deposits(one))[0]).toMatchObject({
      method: 'card',
      currency: null,
      coin_amount: null,
      status: 'Approved',
    })
  })

  test('the database enforces transitions, four eyes and amounts', async () => {
    const one = await trader()
    const outcome = {
      Pending: '',
      Approved: ', credited = 200000, decided_at = now()',
      Rejected: ", reason = 'No.', decided_at = now()",
    }
    const waiting = await pendingDeposit(one, '2000')
    await expect(
      asSuper((db) => db.query(`update deposits set status = 'Approved'${outcome.Approved} where id = ${waiting}`)),
    ).rejects.toThrow(/lacks an approval/)
    await approve(waiting, ops[0]!, 2_000)
    await expect(
      asSuper((db) => db.query(`update deposits set status = 'Approved'${outcome.Approved} where id = ${waiting}`)),
    ).rejects.toThrow(/lacks an approval/)
    await expect(
      asSuper((db) => db.query(`insert into deposit_approvals values (${waiting}, ${ops[1]!.id}, 1)`)),
    ).rejects.toThrow(/another amount/)
    // Approved by two, but not credited.
    await expect(
      asSuper(async (db) => {
        await db.query(`insert into deposit_approvals values (${waiting}, ${ops[1]!.id}, 200000)`)
        await db.query(`update deposits set status = 'Approved'${outcome.Approved} where id = ${waiting}`)
        await db.query('set constraints all immediate')
      }),
    ).rejects.toThrow(/not credited/)
    const rejected = await pendingDeposit(one, '10')
    await reject(rejected, ops[0]!)
    const approved = await pendingDeposit(one, '10')
    await approve(approved, ops[0]!, 10)
    for (const [from, id] of [
      ['Rejected', rejected],
      ['Approved', approved],
    ] as const)
      for (const to of ['Pending', 'Approved', 'Rejected'] as const) {
        expect(DEPOSIT_NEXT[from]).toEqual([])
        const wipe = 'credited = null, reason = null, decided_at = null'
        const set = to === 'Pending' ? wipe : outcome[to].slice(2)
        if (from === to) continue
        await expect(
          asSuper((db) => db.query(`update deposits set status = '${to}', ${set} where id = ${id}`)),
          `${from} to ${to}`,
        ).rejects.toThrow()
      }
    for (const entry of [
      `update deposits set credited = 1001 where id = ${approved}`,
      `update deposits set reversed = 1 where id = ${approved}; set constraints all immediate`,
      `insert into deposit_approvals values (${approved}, ${ops[2]!.id}, 1000)`,
      `delete from deposit_approvals where deposit_id = ${approved}`,
      `update deposit_approvals set amount = 1`,
      `truncate deposit_reversals`,
    ])
      await expect(
        asSuper((db) => db.query(entry)),
        entry,
      ).rejects.toThrow()
    // The application isn't even allowed to change submitted fields.
    await expect(
      app.db
        .updateTable('deposits')
        .set({ submitted: usd(1n) })
        .execute(),
    ).rejects.toThrow(/permission denied/)
    await expect(app.db.deleteFrom('deposits').execute()).rejects.toThrow(/permission denied/)
  })
})
