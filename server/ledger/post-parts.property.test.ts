import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Usd, usd } from '#kernel/money.ts'
import { SEED } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { type Database, inTransaction, openDatabase, sql, type Tx } from '../platform/database/db.ts'
import { accountOf, holdingsOf, openAccounts, type Part, post, postPartsSql } from './index.ts'

/**
 * Movements posted in sets agree with `post`, account by account: each account has a twin with the same random balance or
 * debt. One gets its movements in one statement with all others, the other one by one.
 */
const ACCOUNTS = 80
const { below, pick, chance } = draws(SEED)

interface Twins {
  set: bigint
  single: bigint
  start: readonly Part[]
  movements: readonly { id: bigint; parts: readonly Part[] }[]
}

let database: TestDatabase
/** Past the triggers that tie movements to trades and rulings. */
let asOwner: Database
let users = 0n
let causes = 0n
/** Keeps the causes of a twin's movements apart from those of the other. */
const TWIN = 1_000_000n

beforeAll(async () => {
  process.stdout.write(`movements are drawn with SEED=${SEED}\n`)
  database = await createTestDatabase()
  asOwner = openDatabase(database.superUrl, { max: 1, name: 'parts', log: database.db.log })
})
afterAll(async () => {
  await asOwner.close()
  await database.drop()
})

const amount = (from: number, limit: number): Usd => usd(BigInt(from + below(limit - from)))

/** A settled trade or a sale: the stake goes back to the balance, to the house or to both, and may bring a profit. */
function ofTrade(): Part[] {
  const back: Part = { debit: 'escrow', credit: 'balance', amount: amount(1, 300) }
  const lost: Part = { debit: 'escrow', credit: 'house', amount: amount(1, 300) }
  const profit: Part = { debit: 'house', credit: 'balance', amount: amount(1, 300) }
  return pick([[back], [lost], [back, lost], [back, profit]])
}
const ofRuling = (): Part[] => [{ debit: 'house', credit: 'balance', amount: amount(1, 300) }]

function twins(drawParts: () => Part[]): Twins {
  const movements = Array.from({ length: 1 + below(5) }, () => ({ id: ++causes, parts: drawParts() }))
  const debt = chance(0.2) ? amount(1, 20) : amount(1, 2_000)
  return {
    set: ++users,
    single: ++users,
    start: [
      { debit: 'mint', credit: 'escrow', amount: usd(10_000n) },
      chance(0.7)
        ? { debit: 'owed', credit: 'house', amount: debt }
        : { debit: 'mint', credit: 'balance', amount: amount(0, 2_000) },
    ],
    movements,
  }
}

const pastTriggers = <T>(work: (tx: Tx) => Promise<T>) =>
  inTransaction(asOwner.db, async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    return work(tx)
  })

/** Posts the movements of all `set` accounts in one statement, and returns what each account repaid. */
async function postInSets(tx: Tx, cause: Cause, all: readonly Twins[]): Promise<Map<bigint, bigint>> {
  const parts = all.flatMap(({ set, movements }) =>
    movements.flatMap(({ id, parts }) =>
      parts.map((part, at) => ({ ...part, account: accountOf(set, 'real'), id, at })),
    ),
  )
  const { rows } = await sql<{ id: bigint; repaid: bigint }>`
    with locked as materialized (
      select id, balance, owed, seq from accounts where id = any(${parts.map(({ account }) => account)}::bigint[]) for no key update
    ), parts as (
      select p.*, 'real'::account_mode as mode, 1790000000000 as end_time from unnest(
        ${parts.map(({ account }) => account)}::bigint[], ${parts.map(({ id }) => id)}::bigint[], ${parts.map(({ at }) => at + 1)}::smallint[],
        ${parts.map(({ debit }) => debit)}::slot[], ${parts.map(({ credit }) => credit)}::slot[], ${parts.map((part) => part.amount)}::bigint[]
      ) p(account_id, id, part, debit, credit, amount)
    ), ${sql.raw(postPartsSql(cause))}
    select id, repaid::bigint from moved_accounts`.execute(tx)
  return new Map(rows.map(({ id, repaid }) => [id, repaid]))
}

/** Returns the transfers of an account after its start. */
const transfersOf = (tx: Tx, userId: bigint, cause: Cause) =>
  tx
    .selectFrom('transfers')
    .select(['account_seq', 'debit', 'credit', 'amount', 'balance_after'])
    .where('account_id', '=', accountOf(userId, 'real'))
    .where('cause', 'in', [cause, 'debt_repayment'])
    .orderBy('account_seq')
    .execute()

type Cause = Parameters<typeof postPartsSql>[0]
const CAUSES: readonly [Cause, () => Part[]][] = [
  ['trade_settle', ofTrade],
  ['trade_sale', ofTrade],
  ['trade_remedy', ofRuling],
]

test.each(CAUSES)('posts sets of %s as it posts them one by one', async (cause, drawParts) => {
  const all = Array.from({ length: ACCOUNTS }, () => twins(drawParts))
  await pastTriggers(async (tx) => {
    for (const { set, single, start } of all)
      for (const userId of [set, single]) {
        await openAccounts(tx, userId)
        await post(tx, { userId, mode: 'real', cause: 'adjust', causeId: userId, parts: start })
      }
    const before = await Promise.all(all.map(({ set }) => holdingsOf(tx, set, 'real')))
    const repaid = await postInSets(tx, cause, all)
    for (const [index, { set, single, movements }] of all.entries()) {
      for (const { id, parts } of movements)
        await post(tx, { userId: single, mode: 'real', cause, causeId: TWIN + id, parts })
      const [start, after] = [before[index]!, await holdingsOf(tx, single, 'real')]
      expect(await holdingsOf(tx, set, 'real')).toEqual(after)
      expect(repaid.get(accountOf(set, 'real'))).toBe(after.owed - start.owed)
      // The gains of a debtor repay the debt once for all trades of the set.
      if (start.owed === 0n || cause === 'trade_remedy')
        expect(await transfersOf(tx, set, cause)).toEqual(await transfersOf(tx, single, cause))
    }
  })
})
