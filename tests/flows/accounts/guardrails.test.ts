import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { PERIODS } from '#contract/account/guardrails.ts'
import { Problem } from '#contract/problem.ts'
import { periodStart } from '#kernel/calendar.ts'
import { usd } from '#kernel/money.ts'
import { DAY_MS } from '#kernel/time.ts'
import { depositedSince } from '#server/cashier/index.ts'
import type { GuardrailsDeps } from '#server/guardrails/deps.ts'
import { carryOver, exclude, excludeIn, requestReturn } from '#server/guardrails/exclusion.ts'
import { lockGuards } from '#server/guardrails/guards.ts'
import { cancelChange, confirmChange, setGuard } from '#server/guardrails/limits.ts'
import { countPresent } from '#server/guardrails/presence.ts'
import { confirmCheck } from '#server/guardrails/reality-check.ts'
import { readGuardrails, requireDeposit } from '#server/guardrails/state.ts'
import { hasConfirmedEmail, lockPerson, similarAccounts, usersOfMailboxes } from '#server/identity/index.ts'
import { isIdentityApproved } from '#server/kyc/index.ts'
import { dayOfSql, periodStartsSql } from '#server/ledger/index.ts'
import { inTransaction, sql, type Tx } from '#server/platform/database/db.ts'
import { openAutomatic } from '#tests/support/people/automatic.ts'
import { ageChanges, ageExclusions } from '#tests/support/people/guardrails.ts'
import { openTestNotices } from '#tests/support/people/notices.ts'
import { draws } from '#tests/support/random.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { marketOfFile, toMidweek } from '#tests/support/trades/market.ts'
import { verifyUser } from '#tests/support/trades/money.ts'

const { database, market } = await marketOfFile()
let deps: GuardrailsDeps

beforeAll(async () => {
  await toMidweek(market, { BTCUSDT: '60000.00', ETHUSDT: '2600.00' })
  const push = { afterCommit: () => undefined }
  deps = {
    db: database.db,
    clock: market.clock,
    notices: openTestNotices(),
    push,
    depositedSince,
    lockPerson,
    similarAccounts,
    usersOfMailboxes,
    hasConfirmedEmail,
    isIdentityApproved,
    stopAutomatic: async () => undefined,
    endSessionsAndRequests: async () => undefined,
  }
})

const real = (userId: bigint, amount: number, more: object = {}) =>
  market.submit(userId, { amount, mode: 'real', ...more })
const state = (userId: bigint) => readGuardrails(deps, database.db, userId)
const limitOf = async (userId: bigint, guarded: string, period: string) =>
  (await state(userId)).limits.find((one) => one.guarded === guarded && one.period === period)!

/** Returns the code and message of a rejection. */
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof Problem) return `${error.code}: ${error.message}`
      throw error
    },
  )

async function settleAt(price: string): Promise<void> {
  await market.frame({ BTCUSDT: '60000.00' })
  await market.pass(58_000)
  await market.frame({ BTCUSDT: price })
  await market.pass(5_000)
  await market.settled()
}

test('parallel trades never exceed a stake limit, in any period', async () => {
  for (const period of ['day', 'week', 'month'] as const) {
    const user = await market.trader(1_000_000n)
    await setGuard(deps, user, `stakes_${period}`, 10_050n)
    const results = await Promise.all(Array.from({ length: 40 }, () => refusal(real(user, 10))))
    expect(results.filter((result) => result === 'accepted')).toHaveLength(10)
    const refused = results.filter((result) => result !== 'accepted')
    for (const text of refused)
      expect(text).toMatch(/^limit_reached: The (daily|weekly|monthly) stake limit you set leaves/)
    expect(await limitOf(user, 'stakes', period)).toMatchObject({ max: 100.5, used: 100, left: 0.5 })
  }
})

test('the message says which limit applies, what is left and when it resets', async () => {
  const user = await market.trader(1_000_000n)
  await setGuard(deps, user, 'stakes_week', 2_500n)
  await setGuard(deps, user, 'stakes_month', 10_000n)
  await real(user, 20)
  const text = await refusal(real(user, 6))
  expect(text).toMatch(
    /^limit_reached: The weekly stake limit you set leaves \$5\.00\. It resets on Mon \d+ \w{3}, 00:00 UTC\.$/,
  )
  await real(user, 5)
})

test('orders accepted after a limit is set never exceed it, even if they were in flight before', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await market.trader(1_000_000n)
    const orders = Array.from({ length: 20 }, () => refusal(real(user, 10)))
    await setGuard(deps, user, 'stakes_day', 5_000n)
    const usedThen = (await limitOf(user, 'stakes', 'day')).used
    await Promise.all(orders)
    const used = (await limitOf(user, 'stakes', 'day')).used
    expect(used).toBeLessThanOrEqual(Math.max(50, usedThen))
    expect(await refusal(real(user, 60))).toMatch(/^limit_reached/)
  }
})

/** Long enough for an order to be tried several times while its account is locked. */
const SEVERAL_TRIES_MS = 200

test('an order that waits for its account is checked against a limit set in the meantime', async () => {
  for (const first of [10_000n, null]) {
    const user = await market.trader(1_000_000n)
    if (first !== null) await setGuard(deps, user, 'stakes_day', first)
    let order: Promise<string> | undefined
    await inTransaction(database.db, async (tx) => {
      const { account_id } = await lockGuards(tx, user)
      order = refusal(real(user, 50))
      await sleep(SEVERAL_TRIES_MS)
      await sql`
        insert into guard_changes (account_id, guard, from_value, to_value, due_at, applied_at)
        values (${account_id}, 'stakes_day', ${first}, 2000, transaction_timestamp(), clock_timestamp())`.execute(tx)
      await sql`update guards set stakes_day = 2000 where account_id = ${account_id}`.execute(tx)
    })
    expect(await order, `after a limit of ${first}`).toMatch(
      /^limit_reached: The daily stake limit you set leaves \$20\.00/,
    )
  }
})

test('limits apply to the real account only, and other traders in the batch are unaffected', async () => {
  const [limited, free] = [await market.trader(100_000n), await market.trader(100_000n)]
  await setGuard(deps, limited, 'stakes_day', 100n)
  const results = await Promise.all([
    refusal(real(limited, 10)),
    refusal(real(free, 10)),
    refusal(market.submit(limited, { amount: 10, mode: 'demo' })),
  ])
  expect(results.map((result) => result.split(':')[0])).toEqual(['limit_reached', 'accepted', 'accepted'])
})

test('open stakes count as losses, so a loss limit holds however trades end', async () => {
  const user = await market.trader(100_000n)
  await setGuard(deps, user, 'losses_day', 3_000n)
  await real(user, 10, { trade_mode: 'Buy' })
  await real(user, 10, { trade_mode: 'Buy' })
  expect(await refusal(real(user, 11))).toMatch(
    /^limit_reached: The daily loss limit you set leaves \$10\.00\. Open trades count as losses until they settle\./,
  )
  await settleAt('59999.00')
  expect(await limitOf(user, 'losses', 'day')).toMatchObject({ used: 20, left: 10 })
  // A win of $7.50 leaves room for another trade.
  await real(user, 10, { trade_mode: 'Buy' })
  expect(await refusal(real(user, 1))).toMatch(/^limit_reached/)
  await settleAt('60001.00')
  expect(await limitOf(user, 'losses', 'day')).toMatchObject({ used: 12.5, left: 17.5 })
  expect(await refusal(real(user, 17.51))).toMatch(/^limit_reached/)
  await real(user, 17.5)
})

/** Opens a trade of five minutes with a stake of $10 at 60,000, and sells it a minute later at this price. Returns its payout in dollars. */
async function soldAt(user: bigint, price: string): Promise<number> {
  const { trade_id } = await real(user, 10, { duration: 300 })
  await market.frame({ BTCUSDT: '60000.00' })
  await market.pass(60_000)
  await market.sell(user, trade_id, 0.01)
  await market.frame({ BTCUSDT: price })
  return Number((await market.decided(trade_id)).payout) / 100
}

describe('trades that are sold', () => {
  // Symbols with half an hour of prices are for sale.
  beforeAll(() => market.passMinutes(32))

  test('a sold loss counts as lost, and a sold gain leaves room again', async () => {
    const user = await market.trader(100_000n)
    await setGuard(deps, user, 'losses_day', 3_000n)
    await setGuard(deps, user, 'losses_week', 5_000n)
    const behind = await soldAt(user, '59900.00')
    expect(behind).toBeGreaterThan(0)
    expect(behind).toBeLessThan(10)
    expect((await limitOf(user, 'losses', 'day')).used).toBeCloseTo(10 - behind, 8)
    expect((await limitOf(user, 'losses', 'week')).used).toBeCloseTo(10 - behind, 8)
    const left = 30 - (10 - behind)
    expect(await refusal(real(user, Number((left + 0.01).toFixed(2))))).toMatch(/^limit_reached: The daily loss limit/)
    const ahead = await soldAt(user, '60100.00')
    expect(ahead).toBeGreaterThan(10)
    const { used } = await limitOf(user, 'losses', 'day')
    expect(used).toBeCloseTo(20 - behind - ahead, 8)
    expect(await refusal(real(user, Number((30 - used + 0.01).toFixed(2))))).toMatch(/^limit_reached/)
    await real(user, Number((30 - used).toFixed(2)))
  })

  test('a reality check adds up what they gained and lost', async () => {
    const user = await market.trader(100_000n)
    await setGuard(deps, user, 'check_minutes', 15n)
    await present(user, 0)
    const paid = (await soldAt(user, '59900.00')) + (await soldAt(user, '60100.00'))
    for (let minute = 0; minute < 15; minute++) await present(user, 60)
    const { check_due } = await state(user)
    expect(check_due).toMatchObject({ number: 1, trades: 2 })
    expect(check_due?.result).toBeCloseTo(paid - 20, 8)
    expect(check_due?.result).not.toBe(0)
  })
})

test('a looser limit takes a day and a confirmation; a tighter one applies immediately', async () => {
  const user = await market.trader(100_000n)
  await setGuard(deps, user, 'stakes_day', 2_000n)
  await setGuard(deps, user, 'stakes_day', 5_000n)
  expect(await limitOf(user, 'stakes', 'day')).toMatchObject({ max: 20, pending: { to: 50 } })
  const id = async () => BigInt((await limitOf(user, 'stakes', 'day')).pending!.id)
  expect(await refusal(confirmChange(deps, user, await id()))).toMatch(/^wrong_state: .*24 hours/)
  expect(await refusal(real(user, 30))).toMatch(/^limit_reached/)

  // Requesting it again changes nothing, and doesn't restart the 24 hours.
  const first = await id()
  await setGuard(deps, user, 'stakes_day', 5_000n)
  expect(await id()).toBe(first)
  await ageChanges(database.ownerUrl, user)
  expect(await refusal(real(user, 30))).toMatch(/^limit_reached/)
  await Promise.all([confirmChange(deps, user, first), confirmChange(deps, user, first)])
  await real(user, 30)

  // Removing a limit also takes a day and can be cancelled. A tighter limit replaces the request.
  await setGuard(deps, user, 'stakes_day', null)
  await cancelChange(deps, user, await id())
  expect(await limitOf(user, 'stakes', 'day')).toMatchObject({ max: 50 })
  await setGuard(deps, user, 'stakes_day', null)
  await setGuard(deps, user, 'stakes_day', 4_000n)
  expect((await limitOf(user, 'stakes', 'day')).pending).toBeUndefined()
  expect(await limitOf(user, 'stakes', 'day')).toMatchObject({ max: 40, used: 30, left: 10 })
})

test('a looser limit expires if it is not confirmed within a week', async () => {
  const user = await market.trader(100_000n)
  await setGuard(deps, user, 'losses_month', 2_000n)
  await setGuard(deps, user, 'losses_month', null)
  const { id } = (await limitOf(user, 'losses', 'month')).pending!
  await ageChanges(database.ownerUrl, user, 8)
  expect((await limitOf(user, 'losses', 'month')).pending).toBeUndefined()
  expect(await refusal(confirmChange(deps, user, BigInt(id)))).toMatch(/^wrong_state: .*expired/)
  // It can be requested again.
  await setGuard(deps, user, 'losses_month', null)
  expect((await limitOf(user, 'losses', 'month')).pending!.id).not.toBe(id)
})

test('the database rejects a looser limit that did not wait, and a shorter exclusion', async () => {
  const user = await market.trader(100_000n)
  const accountId = user * 2n
  await setGuard(deps, user, 'stakes_day', 2_000n)
  const run = (statement: ReturnType<typeof sql>) => statement.execute(database.db)
  await expect(run(sql`update guards set stakes_day = 9000 where account_id = ${accountId}`)).rejects.toThrow(/is due/)
  await expect(run(sql`update guards set stakes_day = null where account_id = ${accountId}`)).rejects.toThrow(/is due/)
  await expect(
    run(sql`
      insert into guard_changes (account_id, guard, from_value, to_value, due_at, applied_at)
      values (${accountId}, 'stakes_day', 2000, 9000, transaction_timestamp(), clock_timestamp())`),
  ).rejects.toThrow(/guard_changes_loosen_late/)
  await exclude(deps, user, { kind: 'exclusion', months: 6 })
  await expect(run(sql`update exclusions set ends_at = clock_timestamp() where user_id = ${user}`)).rejects.toThrow(
    /denied/,
  )
  await expect(
    run(sql`update exclusions set return_at = clock_timestamp() + interval '24 hours' where user_id = ${user}`),
  ).rejects.toThrow(/not over/)
  await expect(run(sql`delete from exclusions where user_id = ${user}`)).rejects.toThrow(/denied/)
  await run(sql`update guards set blocked_until = null where account_id = ${accountId}`)
  expect(await refusal(real(user, 1))).toMatch(/^account_locked/)
})

test('a new day resets the daily counts; weekly and monthly ones continue', async () => {
  const user = await market.trader(100_000n)
  await setGuard(deps, user, 'stakes_day', 1_000n)
  await setGuard(deps, user, 'stakes_week', 1_500n)
  await real(user, 10)
  expect(await refusal(real(user, 1))).toMatch(/daily stake limit/)
  await market.pass(120_000)
  await market.settled()
  await market.frame({ BTCUSDT: '60000.00' }, { afterMs: DAY_MS })
  expect(await limitOf(user, 'stakes', 'day')).toMatchObject({ used: 0, left: 10 })
  expect(await refusal(real(user, 6))).toMatch(/weekly stake limit you set leaves \$5\.00/)
  await real(user, 5)
  expect(await limitOf(user, 'stakes', 'week')).toMatchObject({ used: 15, left: 0 })
})

/** Counts the trader as present, `seconds` after the last count. */
async function present(user: bigint, seconds: number): Promise<bigint[]> {
  await sql`update guards set seen_at = seen_at - make_interval(secs => ${seconds}) where account_id = ${user * 2n}`.execute(
    database.db,
  )
  return countPresent(database.db, [user])
}

test('a due reality check blocks trades until it is confirmed, once for all tabs', async () => {
  const user = await market.trader(100_000n)
  await setGuard(deps, user, 'check_minutes', 15n)
  expect(await present(user, 0)).toEqual([])
  await real(user, 10)
  for (let minute = 0; minute < 14; minute++) expect(await present(user, 60)).toEqual([])
  await real(user, 10)
  expect(await present(user, 60)).toEqual([user])
  expect(await present(user, 15)).toEqual([])
  expect(await refusal(real(user, 10))).toMatch(/^reality_check_due/)
  await settleAt('60001.00')
  const { check_due } = await state(user)
  expect(check_due).toMatchObject({ number: 1, minutes: 15, trades: 2, result: 15 })
  await Promise.all([confirmCheck(deps, user, 1), confirmCheck(deps, user, 1)])
  expect((await state(user)).check_due).toBeNull()
  await real(user, 10)
  // A late confirmation of the first check doesn't confirm the second.
  for (let minute = 0; minute < 15; minute++) await present(user, 60)
  await confirmCheck(deps, user, 1)
  expect((await state(user)).check_due).toMatchObject({ number: 2, minutes: 30 })
})

test('nodes that count the same trader add up to the elapsed time, and a break ends the session', async () => {
  const user = await market.trader(100_000n)
  await setGuard(deps, user, 'time_day', 15n)
  await present(user, 0)
  for (let minute = 0; minute < 10; minute++) {
    await present(user, 60)
    await Promise.all([countPresent(database.db, [user]), countPresent(database.db, [user])])
  }
  expect((await limitOf(user, 'time', 'day')).used).toBe(10)
  // Six minutes of absence don't count.
  await present(user, 360)
  expect((await limitOf(user, 'time', 'day')).used).toBe(10)
  await real(user, 10)
  for (let minute = 0; minute < 5; minute++) await present(user, 60)
  expect(await refusal(real(user, 10))).toMatch(/^limit_reached: You've reached the daily session time limit you set/)
  expect(await limitOf(user, 'time', 'day')).toMatchObject({ used: 15, left: 0 })
})

test('a time-out blocks trades and deposits until it ends, and requesting it twice changes nothing', async () => {
  const user = await market.trader(100_000n)
  await real(user, 10)
  await Promise.all([
    exclude(deps, user, { kind: 'time_out', days: 7 }),
    exclude(deps, user, { kind: 'time_out', days: 7 }),
  ])
  await exclude(deps, user, { kind: 'time_out', days: 1 })
  const { rows } = await sql<{ n: bigint }>`select count(*) as n from exclusions where user_id = ${user}`.execute(
    database.db,
  )
  expect(rows[0]!.n).toBe(1n)
  expect(await refusal(real(user, 10))).toMatch(/^account_locked/)
  const deposit = () =>
    inTransaction(database.db, (tx) => requireDeposit(deps, tx, { userId: user, amount: usd(100n) }))
  expect(await refusal(deposit())).toMatch(/^account_locked/)
  expect(await refusal(requestReturn(deps, user))).toMatch(/^wrong_state/)
  expect((await state(user)).block).toMatchObject({ kind: 'time_out', can_return: false })
  await ageExclusions(database.ownerUrl, user, '8 days')
  expect((await state(user)).block).toBeNull()
  await deposit()
  await real(user, 10)
})

test('a self-exclusion ends only a day after the trader asks to return', async () => {
  const user = await market.trader(100_000n)
  await exclude(deps, user, { kind: 'exclusion', months: 6 })
  // A shorter time-out doesn't replace it.
  await exclude(deps, user, { kind: 'time_out', days: 1 })
  expect((await state(user)).block).toMatchObject({ kind: 'exclusion', can_return: false })
  expect(await refusal(requestReturn(deps, user))).toMatch(/^wrong_state/)
  await ageExclusions(database.ownerUrl, user, '7 months')
  expect((await state(user)).block).toMatchObject({ kind: 'exclusion', can_return: true })
  expect(await refusal(real(user, 10))).toMatch(/^account_locked/)
  await Promise.all([requestReturn(deps, user), requestReturn(deps, user)])
  expect(await refusal(real(user, 10))).toMatch(/^account_locked/)
  await ageExclusions(database.ownerUrl, user, '25 hours')
  await real(user, 10)
})

test('parallel deposits never exceed a deposit limit', async () => {
  const user = await market.trader(0n)
  await setGuard(deps, user, 'deposits_week', 10_000n)
  let id = 1n
  const deposit = () =>
    refusal(
      inTransaction(database.db, async (tx) => {
        await lockPerson(tx, user)
        await requireDeposit(deps, tx, { userId: user, amount: usd(3_000n) })
        await sql`insert into deposits (id, user_id, method, submitted) values (${id++}, ${user}, 'card', 3000)`.execute(
          tx,
        )
      }),
    )
  const results = await Promise.all(Array.from({ length: 8 }, deposit))
  expect(results.filter((result) => result === 'accepted')).toHaveLength(3)
  expect(results.find((result) => result !== 'accepted')).toMatch(/weekly deposit limit you set leaves \$(10|40)\.00/)
})

test.each(['exclusion', 'profile'])('accounts of one person wait for each other: the %s first', async (first) => {
  const born = first === 'exclusion' ? '1899-08-24' : '1899-08-25'
  const person = (tx: Tx, user: bigint) =>
    sql`update users set firstname = 'Jorge', lastname = 'Borges', date_of_birth = ${born} where id = ${user}`.execute(
      tx,
    )
  const [excluded, other] = [await market.trader(0n), await market.trader(0n)]
  await verifyUser(database.db, excluded)
  await inTransaction(database.db, (tx) => person(tx, excluded))
  const excluding = (tx: Tx) => excludeIn(deps, tx, excluded, { kind: 'exclusion', months: 6 })
  const saving = async (tx: Tx) => {
    await person(tx, other)
    await carryOver(deps, tx, other)
  }
  const steps: ((tx: Tx) => Promise<unknown>)[] = first === 'exclusion' ? [excluding, saving] : [saving, excluding]
  let second: Promise<unknown> | undefined
  await inTransaction(database.db, async (tx) => {
    await steps[0]!(tx)
    second = inTransaction(database.db, steps[1]!)
    await sleep(SEVERAL_TRIES_MS)
  })
  await second
  expect((await state(other)).block).toMatchObject({ kind: 'exclusion', carried_over: true })
})

test('what is credited beyond the submitted amount counts when it is credited', async () => {
  const user = await market.trader(0n)
  const client = await connectTo(database.superUrl)
  await client.query(`set session_replication_role = 'replica'`)
  await client.query(`
    insert into deposits (id, user_id, method, submitted, credited, status, created_at, decided_at, provider_reference)
    select n, ${user}, 'card', 3000, credited, case when credited is null then 'Pending' else 'Approved' end::deposit_status,
      now() - make_interval(days => days), case when credited is not null then now() end, 'r' || n
    from (values (91, 5000, 3), (92, 3500, 0), (93, 2000, 0), (94, null, 0)) d(n, credited, days)`)
  await client.end()
  expect(await depositedSince(database.db, user, Date.now() - DAY_MS)).toBe(2_000n + 3_500n + 2_000n + 3_000n)
})

test('the database and the screens agree on when periods start', async () => {
  const { below } = draws(20)
  const days = Array.from({ length: 400 }, () => below(60_000) * DAY_MS)
  for (const period of PERIODS) {
    const { rows } = await sql<{ start: string }>`
      select ${sql.ref(`${period}_from`)}::text as start from (
        select ${sql.raw(periodStartsSql(dayOfSql('ms')))}, n from unnest(${days}::bigint[]) with ordinality as d(ms, n)
      ) starts order by n`.execute(database.db)
    expect(rows.map(({ start }) => Date.parse(start))).toEqual(days.map((day) => periodStart(period, day + DAY_MS - 1)))
  }
})

test('automatic trades with real money obey the same limits, and stop during a reality check', async () => {
  const automatic = openAutomatic(database, market)
  const user = await market.trader(100_000n)
  await database.db.updateTable('users').set({ trading_plan: 'Diamond-50730' }).where('id', '=', user).execute()
  await verifyUser(database.db, user)
  await setGuard(deps, user, 'stakes_day', 1_500n)
  await automatic.save(user, { mode: 'real', stake: 10 })
  await automatic.start(user, 'real', true)
  const skipped = async () =>
    (
      await database.db
        .selectFrom('automatic_orders')
        .select('reason')
        .where('account_id', '=', user * 2n)
        .orderBy('signal')
        .execute()
    ).map(({ reason }) => reason)
  await automatic.minute()
  expect(await skipped()).toEqual([null])
  await automatic.settleAt(60_000)
  await automatic.minute()
  expect(await skipped(), 'the second would exceed the limit').toEqual([null, 'limit'])
  expect(await limitOf(user, 'stakes', 'day')).toMatchObject({ used: 10, left: 5 })
})
