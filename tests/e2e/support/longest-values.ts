import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { idSource } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { accountOf, post } from '#server/ledger/index.ts'
import { inTransaction, openDatabase, sql, type Tx } from '#server/platform/db.ts'
import { createLog } from '#server/platform/log.ts'
import { fund } from '#tests/support/money.ts'

/** Eight digits before the point, in cents. */
const BALANCE = usd(98_765_432_10n)
const HELD = usd(88_888_888_88n)
/** Five digits before the point, in cents. */
const STAKE = 98_765_43n
const DAY_MS = 86_400_000

/** Prices as whole numbers at the symbol's scale: eight and more decimals, and six digits before the point. */
const PRICES: Record<string, bigint> = { BCHBTC: 88_888_888n, BTCUSDT: 888_888_88n, SHIBBTC: 88_888_888n }

/**
 * Gives a trader the longest values a screen must show: eight-digit balances, five-digit stakes, long prices, and every
 * status of a trade, a deposit and a withdrawal. Trades and deposits come without their money, so the ledger of this
 * database doesn't add up: use a server that no other test uses.
 */
export async function giveLongestValues(dataDir: string, email: string): Promise<void> {
  const url = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
  const { db, close } = openDatabase(url, { max: 1, name: 'longest values', log: createLog('silent') })
  try {
    const { id } = await db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirstOrThrow()
    await inTransaction(db, async (tx) => {
      await addMoney(tx, id)
      for (const book of ['real', 'demo'] as const) {
        for (const symbol of Object.keys(PRICES)) await addTrades(tx, id, book, symbol)
      }
    })
  } finally {
    await close()
  }
}

const newId = idSource(1_022)

async function addMoney(tx: Tx, userId: bigint): Promise<void> {
  await fund(tx, userId, BALANCE)
  await fund(tx, userId, HELD)
  await post(tx, {
    userId,
    book: 'demo',
    cause: 'demo_grant',
    causeId: newId(),
    parts: [{ debit: 'mint', credit: 'balance', amount: BALANCE }],
  })
  await sql`
    insert into deposits (id, user_id, method, coin, announced, coin_amount, rate, address, receipt, receipt_hash)
    values (${newId()}, ${userId}, 'crypto', 'BTC', ${BALANCE}, 888888.88888888, 111.11, ${'1'.repeat(34)},
      ${randomBytes(20).toString('hex')}, ${randomBytes(32)})`.execute(tx)
  const withdrawal = newId()
  await sql`
    insert into withdrawals (id, user_id, method, coin, wallet, amount)
    values (${withdrawal}, ${userId}, 'crypto', 'BTC', ${`bc1p${'w'.repeat(58)}`}, ${HELD})`.execute(tx)
  await post(tx, {
    userId,
    book: 'real',
    cause: 'withdraw_hold',
    causeId: withdrawal,
    parts: [{ debit: 'balance', credit: 'hold', amount: HELD }],
  })
}

/** One trade of each status; the open one runs for a day. */
async function addTrades(tx: Tx, userId: bigint, book: 'real' | 'demo', symbol: string): Promise<void> {
  const entry = PRICES[symbol]!
  const exits = { Won: entry - 1n, Lost: entry + 1n, Draw: entry, Void: null, Pending: null }
  for (const [status, exit] of Object.entries(exits)) {
    const isOpen = status === 'Pending'
    const placed = BigInt(Date.now() - (isOpen ? 60_000 : DAY_MS + 60_000))
    const end = placed + BigInt(DAY_MS)
    const payout = { Won: STAKE + (STAKE * 75n + 50n) / 100n, Lost: 0n, Draw: STAKE, Void: STAKE }[status] ?? null
    const hasEntry = status !== 'Void'
    await sql`
      insert into trades (id, account_id, book, symbol_id, source_kind, stale_after_ms, trade_mode, strike_rate, percent, stake,
        duration_seconds, trade_time, end_time, status, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq,
        settled_at, payout, outcome_reason)
      select ${newId()}, ${accountOf(userId, book)}, ${book}, i.id, 2, 10000, 'Sell', '75/3', 75, ${STAKE},
        ${DAY_MS / 1000}, ${placed}, ${end}, ${status}, ${hasEntry ? entry : null}, ${hasEntry ? placed + 1n : null},
        ${hasEntry ? 1 : null}, ${exit}, ${exit === null ? null : end - 1n}, ${exit === null ? null : 2},
        ${isOpen ? null : new Date(Number(end))}, ${payout}, ${isOpen ? null : 'The tape has no price for this trade.'}
      from instruments i where i.symbol = ${symbol}`.execute(tx)
  }
}
