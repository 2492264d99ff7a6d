import { setTimeout as sleep } from 'node:timers/promises'
import { accountOf } from '#server/ledger/index.ts'
import { sql } from '#server/platform/database/db.ts'
import type { Fault, FaultContext } from './fault.ts'
import { roleOf } from './kills.ts'

const TRADES = 4_000
const BEGINS_WITHIN_MS = 8_000
const ENDS_WITHIN_MS = 20_000
const FIRST_ID = 10_000_000
let backlogs = 0

/** Many trades that are due at once, as after an hour without settlement. */
export const backlogFaults: Fault[] = [
  {
    name: 'backlog',
    says: `${TRADES} trades due at once, and kill -9 of the engine while it settles them`,
    group: 'backlog',
    async inject(context) {
      const ids = await writeDue(context)
      const { db } = context.world.database
      const left = async () => {
        const { rows } = await sql<{ n: bigint }>`
          select count(*) as n from trades where id between ${ids[0]!} and ${ids.at(-1)!} and status = 'Pending'`.execute(
          db,
        )
        return Number(rows[0]!.n)
      }
      const begins = performance.now() + BEGINS_WITHIN_MS
      while ((await left()) === TRADES && performance.now() < begins) await sleep(5)
      process.kill(await roleOf(context.world, 'engine'), 'SIGKILL')
      for (const until = performance.now() + ENDS_WITHIN_MS; performance.now() < until; await sleep(100))
        if ((await left()) === 0) break
      // The verifier reports trades that stay pending.
      return 1
    },
  },
]

/**
 * Writes trades of the last seconds on the tape's prices, with their stakes. Returns their ids. They are on all symbols: on
 * a single one, a wrong price often decides all of them as the right one does.
 */
async function writeDue({ world, verifier }: FaultContext): Promise<bigint[]> {
  const first = FIRST_ID + backlogs++ * TRADES
  const accounts = world.people.traders.flatMap(({ userId }) => [accountOf(userId, 'real'), accountOf(userId, 'demo')])
  const ids = Array.from({ length: TRADES }, (_, n) => BigInt(first + n))
  for (const id of ids) verifier.written.add(id)
  await sql`
    with span as (
      select symbol_id, max(source_ms) as to_ms, max(kind) as kind, row_number() over (order by symbol_id) - 1 as at, count(*) over () as of
      from ticks where symbol_id in (select id from instruments where trading_type is not null) group by symbol_id
    ), mine as (
      select id, mode, row_number() over (order by id) - 1 as at from accounts where id = any (${accounts}::bigint[])
    ), made as (
      insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake,
        duration_seconds, trade_time, end_time)
      select ${first}::bigint + n, a.id, a.mode, s.symbol_id, s.kind, 10000, case n % 2 when 0 then 'Buy' else 'Sell' end::trade_side,
        '75/3', case n % 2 when 0 then 75 else 3 end, 101 + n % 50, 2, s.to_ms - 4500 - n % 1000, s.to_ms - 2500 - n % 1000
      from generate_series(0, ${TRADES - 1}) n, span s join mine a on true where a.at = n % ${accounts.length} and s.at = n % s.of
      returning id, account_id, mode, stake
    ), taken as (
      update accounts set balance = balance - t.stakes, escrow = escrow + t.stakes, seq = seq + t.count
      from (select account_id, sum(stake) as stakes, count(*) from made group by account_id) t where id = t.account_id
      returning id, balance, seq, t.stakes, t.count
    )
    insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
    select 'trade_open', m.id, 1, m.account_id, m.mode, 'balance', 'escrow', m.stake, a.seq - a.count + row_number() over w,
      a.balance + a.stakes - sum(m.stake) over w, clock_timestamp()
    from made m join taken a on a.id = m.account_id window w as (partition by m.account_id order by m.id)`.execute(
    world.database.db,
  )
  return ids
}
