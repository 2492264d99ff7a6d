/**
 * 100,000 trades due in one second: settled by the product's statement (outcome, accounts, movements), compared with a
 * bare UPDATE of the same rows and with settling them one by one (a sample). Each round creates new trades.
 *
 * node bench/settle.ts [rounds] [trades] [workers]
 */

import pg from 'pg'
import { numbers, openConnection } from '#server/platform/connection.ts'
import { createLog } from '#server/platform/log.ts'
import { SETTLE_PROVEN_SQL } from '#server/trading/settle.sql.ts'
import { SETTLE_BATCH, SETTLE_WORKERS } from '#server/trading/settle-trades.ts'
import { checkInvariants } from './support/invariants.ts'
import { benchPostgres, median, traders } from './support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const TRADES = Number(process.argv[3] ?? 100_000)
const WORKERS = Number(process.argv[4] ?? SETTLE_WORKERS)
const ACCOUNTS = 200_000
const SYMBOLS = 16
const START = 1_700_000_000_000
const symbols = numbers(Array.from({ length: SYMBOLS }, (_, index) => index + 1))

const postgres = await benchPostgres()
try {
  await traders(postgres, ACCOUNTS)
  const connections = Array.from({ length: WORKERS }, () =>
    openConnection(postgres.urls.app, 'bench', createLog('error')),
  )
  const ratios: number[] = []
  const singles: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const end = START + round * 1_000_000 + 60_000
    await open(round, end)
    // The reference: updates the same rows from Pending to a final state, nothing else; then rolls back.
    const client = new pg.Client({ connectionString: postgres.superUrl })
    await client.connect()
    await client.query('begin')
    const bareFrom = performance.now()
    await client.query(
      `update trades set status = 'Void', settled_at = now(), payout = stake, outcome_reason = 'bench' where status = 'Pending'`,
    )
    const bareMs = performance.now() - bareFrom
    await client.query('rollback')
    await client.query('vacuum trades')
    await client.end()

    const single = await tradeByTrade(500, end)
    const from = performance.now()
    let settled = 0
    await Promise.all(
      connections.map(async (connection) => {
        for (;;) {
          const rows = await connection.run('settle', SETTLE_PROVEN_SQL, [
            symbols,
            numbers(Array(SYMBOLS).fill(end + 1)),
            SETTLE_BATCH,
          ])
          settled += rows.length
          if (rows.length === 0) return
        }
      }),
    )
    const ms = performance.now() - from
    if (settled + 500 !== TRADES) throw new Error(`${settled} + 500 settled of ${TRADES}`)
    ratios.push(ms / bareMs)
    singles.push((single * TRADES) / ms)
    console.log(
      `round ${round + 1}: bare UPDATE ${bareMs.toFixed(0)} ms; in sets of ${SETTLE_BATCH} by ${WORKERS} ${ms.toFixed(0)} ms, x${(ms / bareMs).toFixed(2)}; trade by trade ${single.toFixed(2)} ms each`,
    )
  }
  console.log(
    `settling ${TRADES} trades: ${median(ratios).toFixed(2)} times the bare UPDATE (at most 2 wanted); trade by trade takes ${median(singles).toFixed(0)} times as long`,
  )
  for (const connection of connections) await connection.close()
  await checkInvariants(postgres.superUrl)
} finally {
  await postgres.stop()
}

async function tradeByTrade(count: number, end: number): Promise<number> {
  const connection = openConnection(postgres.urls.app, 'bench', createLog('error'))
  const from = performance.now()
  for (let i = 0; i < count; i++)
    await connection.run('settle', SETTLE_PROVEN_SQL, [symbols, numbers(Array(SYMBOLS).fill(end + 1)), 1])
  const each = (performance.now() - from) / count
  await connection.close()
  return each
}

/**
 * Opens trades of many accounts that end within one second, already entered as in a healthy system, with the ticks that
 * decide them.
 */
async function open(round: number, end: number): Promise<void> {
  const base = 1_000_000 * (round + 1)
  await postgres.run(`
    insert into ticks (symbol_id, source_ms, seq, price, kind, frame)
    select s, ${end - 60_000} + g * 500, ${round * 1000} + g + 1, 1000 + (g * 7919 + s * 31) % 13, 2, 1 from generate_series(1, ${SYMBOLS}) s, generate_series(0, 121) g`)
  await postgres.run(`
    with chosen as materialized (
      select ${base} + g as id, (((g * 7919::bigint) % ${ACCOUNTS / 100}) * 100 + 1 + g % 99) * 2 + 1 as account_id, 1 + g % ${SYMBOLS} as symbol_id, 100 + g % 900 as stake,
        ${end - 60_000} - g % 1000 as trade_time, g
      from generate_series(1, ${TRADES}) g
    ), opened as (
      insert into trades (id, account_id, book, symbol_id, source_kind, stale_after_ms, trade_mode, strike_rate, percent, stake, duration_seconds, trade_time, end_time,
        entry_seq, entry_price, entry_time)
      select id, account_id, 'demo', symbol_id, 2, 10000, case when g % 2 = 0 then 'Buy' else 'Sell' end::trade_mode, '75/3', 75, stake, 60, trade_time, trade_time + 60000, 1, 1000 + g % 13, trade_time + 1
      from chosen
    ), numbered as (
      select c.*, a.seq + row_number() over w as account_seq, a.balance - sum(c.stake) over w as balance_after
      from chosen c join accounts a on a.id = c.account_id window w as (partition by c.account_id order by c.id)
    ), moved as (
      insert into transfers (cause, cause_id, part, account_id, book, debit, credit, amount, account_seq, balance_after, at)
      select 'trade_open', id, 1, account_id, 'demo', 'balance', 'escrow', stake, account_seq, balance_after, clock_timestamp() from numbered
    )
    update accounts a set balance = a.balance - n.total, escrow = a.escrow + n.total, seq = a.seq + n.parts, last_at = clock_timestamp()
    from (select account_id, sum(stake) as total, count(*) as parts from chosen group by account_id) n where a.id = n.account_id`)
  for (const table of ['trades', 'transfers', 'accounts', 'ticks']) await postgres.run(`vacuum analyze ${table}`)
  await postgres.run('checkpoint')
}
