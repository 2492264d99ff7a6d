import { afterAll, beforeAll, expect, test } from 'vitest'
import { SEED } from '#tests/support/property.ts'
import { draws } from '#tests/support/random.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { type Database, openDatabase, sql } from '../../platform/database/db.ts'
import { createLog } from '../../platform/process/log.ts'
import { brokenRows } from '../broken-rows.ts'
import { cashierChecks } from './cashier.ts'

/** Small books in which most numbers are wrong: each kind of row exists, and sums agree now and then. */
const BOOKS = 600
const USERS = 4
const { below, chance, pick } = draws(SEED)

let database: TestDatabase
/** One connection, whose temporary tables hide the real ones and have none of their rules. */
let scratch: Database
beforeAll(async () => {
  database = await createTestDatabase()
  scratch = openDatabase(database.superUrl, { max: 1, name: 'scratch', log: createLog('error') })
  await sql
    .raw(`
    create temp table accounts (id bigint, user_id bigint, mode account_mode, balance bigint, owed bigint);
    create temp table deposits (id bigint, user_id bigint, status text, credited bigint, reversed bigint);
    create temp table withdrawals (user_id bigint, status text, amount bigint, ended_at timestamptz);
    create temp table trades (account_id bigint, payout bigint, stake bigint);
    create temp table archived_sums (account_id bigint, result bigint);
    create temp table expired_grant_sums (account_id bigint, granted bigint);
    create temp table plan_charges (user_id bigint, amount bigint);
    create temp table deposit_reversals (deposit_id bigint, amount bigint, at timestamptz);
    create temp table deposit_reinstatements (deposit_id bigint, amount bigint);
    create temp table transfers (account_id bigint, cause text, debit text, credit text, amount bigint)`)
    .execute(scratch.db)
})
afterAll(async () => {
  await scratch.close()
  await database.drop()
})

const many = <T>(max: number, one: (n: number) => T): T[] => Array.from({ length: below(max + 1) }, (_, n) => one(n))
const user = () => 1 + below(USERS)
const account = () => 2 * user() + below(2)
const at = () => new Date(Date.UTC(2026, 0, 1 + below(9)))

const drawBooks = () => ({
  accounts: Array.from({ length: USERS * 2 }, (_, n) => ({
    id: n + 2,
    user_id: (n + 2) >> 1,
    mode: n % 2 === 1 ? 'demo' : 'real',
    balance: below(4),
    owed: -below(2),
  })),
  deposits: many(8, (id) => ({
    id,
    user_id: user(),
    status: pick(['Approved', 'Approved', 'Pending', 'Rejected']),
    credited: below(5),
    reversed: below(2),
  })),
  withdrawals: many(8, () => ({
    user_id: user(),
    status: pick(['Paid', 'Paid', 'Pending', 'Processing', 'Rejected', 'Cancelled']),
    amount: below(4),
    ended_at: at(),
  })),
  trades: many(9, () => ({ account_id: account(), payout: chance(0.7) ? below(4) : null, stake: below(3) })),
  archived_sums: [...new Set(many(4, account))].map((account_id) => ({ account_id, result: below(5) - 2 })),
  expired_grant_sums: [...new Set(many(2, () => 2 * user() + 1))].map((account_id) => ({
    account_id,
    granted: below(5) - 2,
  })),
  plan_charges: many(3, () => ({ user_id: user(), amount: below(3) })),
  deposit_reversals: many(8, () => ({ deposit_id: below(8), amount: below(3), at: at() })),
  deposit_reinstatements: many(3, () => ({ deposit_id: below(8), amount: below(3) })),
  transfers: many(10, () => ({
    account_id: account(),
    cause: pick(['adjust', 'demo_grant', 'trade_remedy', 'trade_open']),
    debit: 'house',
    credit: pick(['balance', 'owed', 'house']),
    amount: below(3),
  })),
})
type Books = ReturnType<typeof drawBooks>

async function store(books: Books): Promise<void> {
  for (const [table, rows] of Object.entries(books))
    await sql`with gone as (delete from ${sql.table(table)})
      insert into ${sql.table(table)} select * from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})`.execute(
      scratch.db,
    )
}

const found = async (says: string) => {
  const check = cashierChecks.find((one) => one.says.startsWith(says))!
  return (await brokenRows(scratch.db, check, 100)).map((row) => JSON.parse(row) as Record<string, string>)
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const moved = (books: Books, id: number, causes: string[]) =>
  sum([
    ...books.trades.filter((row) => row.account_id === id).map((row) => (row.payout ?? 0) - row.stake),
    ...books.archived_sums.filter((row) => row.account_id === id).map((row) => row.result),
    ...books.expired_grant_sums.filter((row) => row.account_id === id).map((row) => row.granted),
    ...books.transfers
      .filter((row) => row.account_id === id && causes.includes(row.cause))
      .map((row) => (row.credit === 'house' ? -row.amount : row.amount)),
  ])
const owner = (books: Books, depositId: number) => books.deposits.find(({ id }) => id === depositId)?.user_id

/** What a trader's lists add up to. */
function listed(books: Books, { id, user_id, mode }: Books['accounts'][number]): number {
  const ofAccount = moved(books, id, ['adjust', 'demo_grant', 'trade_remedy'])
  if (mode === 'demo') return ofAccount
  const own = <T extends { user_id: number }>(rows: T[]) => rows.filter((row) => row.user_id === user_id)
  return sum([
    ofAccount,
    ...own(books.deposits).map((row) => (row.status === 'Approved' ? row.credited - row.reversed : 0)),
    ...own(books.withdrawals).map((row) => (['Rejected', 'Cancelled'].includes(row.status) ? 0 : -row.amount)),
    ...own(books.plan_charges).map((row) => -row.amount),
  ])
}

/** What a trader was paid, and what they had before the last payment. */
function paidAndGot(books: Books, userId: number): { paid: number; got: number } | undefined {
  const payments = books.withdrawals.filter((row) => row.user_id === userId && row.status === 'Paid')
  if (payments.length === 0) return undefined
  const lastAt = Math.max(...payments.map((row) => row.ended_at.getTime()))
  const got = sum([
    moved(books, 2 * userId, ['adjust', 'trade_remedy']),
    ...books.deposits.filter((row) => row.user_id === userId && row.status === 'Approved').map((row) => row.credited),
    ...books.deposit_reversals
      .filter((row) => owner(books, row.deposit_id) === userId && row.at.getTime() < lastAt)
      .map((row) => -row.amount),
    ...books.deposit_reinstatements.filter((row) => owner(books, row.deposit_id) === userId).map((row) => row.amount),
    ...books.plan_charges.filter((row) => row.user_id === userId).map((row) => -row.amount),
  ])
  return { paid: sum(payments.map((row) => row.amount)), got }
}

test(`finds every account whose lists don't add up, and every trader who was paid too much (SEED=${SEED})`, async () => {
  let [unequal, overpaid] = [0, 0]
  for (let n = 0; n < BOOKS; n++) {
    const books = drawBooks()
    await store(books)
    const wrong = books.accounts.filter((row) => row.balance + row.owed !== listed(books, row)).map(({ id }) => id)
    const rows = await found("a trader's lists add up")
    expect(rows.map(({ id }) => Number(id)).toSorted((a, b) => a - b)).toEqual(wrong)
    const tooMuch = Array.from({ length: USERS }, (_, i) => i + 1).filter((userId) => {
      const sums = paidAndGot(books, userId)
      return sums !== undefined && sums.paid > sums.got
    })
    const paid = await found('no trader was paid more')
    expect(paid.map(({ id }) => Number(id) / 2).toSorted((a, b) => a - b)).toEqual(tooMuch)
    unequal += wrong.length
    overpaid += tooMuch.length
  }
  expect(unequal).toBeGreaterThan(BOOKS)
  expect(overpaid).toBeGreaterThan(BOOKS / 4)
})
