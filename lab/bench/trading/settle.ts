/**
 * Settles 100,000 trades that are due in one second with the product's statement. The reference writes the same amount
 * for the same number of other trades, with as many connections and the same batch size, but decides nothing: outcomes,
 * movements and accounts are computed beforehand, and no trigger checks them. Both run in each round, on new trades of
 * separate accounts. Each round also settles as many without listing them for the next checkpoint: what that costs.
 *
 *   node lab/bench/trading/settle.ts [rounds] [trades] [workers]
 */
import { accountOfSql } from '#server/ledger/index.ts'
import { type Connection, numbers, openConnection } from '#server/platform/database/connection.ts'
import { createLog } from '#server/platform/process/log.ts'
import { entrySql } from '#server/trading/acceptance/entries/entry.sql.ts'
import { SETTLE_BATCH } from '#server/trading/settlement/rounds/lanes.ts'
import { SETTLE_PROVEN_SQL } from '#server/trading/settlement/settle.sql.ts'
import { SETTLE_WORKERS } from '#server/trading/settlement/settle-trades.ts'
import { databaseCpu } from '../support/cpu.ts'
import { checkInvariants } from '../support/invariants.ts'
import { benchPostgres, median, traders } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const TRADES = Number(process.argv[3] ?? 100_000)
const WORKERS = Number(process.argv[4] ?? SETTLE_WORKERS)
const ACCOUNTS = 200_000
const SYMBOLS = 16
const START = 1_700_000_000_000
const symbols = numbers(Array.from({ length: SYMBOLS }, (_, index) => index + 1))

const BARE_SQL = `
with outcomes as (
  update trades t set status = o.status, settled_at = clock_timestamp(), outcome_reason = o.reason, payout = o.payout,
    entry_seq = o.entry_seq, entry_price = o.entry_price, entry_time = o.entry_time, exit_seq = o.exit_seq, exit_price = o.exit_price, exit_time = o.exit_time
  from bare_outcomes o where o.batch = $1 and t.id = o.id
  returning t.id
), moved_accounts as (
  update accounts a set balance = a.balance + n.gained, escrow = a.escrow - n.released, seq = a.seq + n.parts, last_at = greatest(clock_timestamp(), a.last_at)
  from bare_accounts n where n.batch = $1 and a.id = n.id
), moved as (
  insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
  select 'trade_settle', cause_id, part, account_id, 'demo', debit, credit, amount, account_seq, balance_after, clock_timestamp()
  from bare_movements where batch = $1
)
select id from outcomes`

const postgres = await benchPostgres()
try {
  await traders(postgres, ACCOUNTS)
  const log = createLog('error')
  const open = (url: string, options?: string) =>
    Array.from({ length: WORKERS }, () => openConnection(url, 'bench', log, options))
  const settling = open(postgres.urls.app)
  const writing = open(postgres.superUrl, '-c session_replication_role=replica')
  const ratios: number[] = []
  const listing: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const end = START + round * 1_000_000 + 60_000
    await openTrades(3 * round, end, 0)
    await openTrades(3 * round + 1, end + 5_000, 0)
    await openTrades(3 * round + 2, end + 10_000, 100)
    await prepareWrites(end + 10_000)
    const settleAt = async (at: number, isListed: boolean) => {
      await postgres.run(`alter table trades ${isListed ? 'enable' : 'disable'} trigger trades_await_statement`)
      return measured(() => settle(settling, at))
    }
    const bare = () => measured(() => writeBare(writing))
    // Alternate the order: the second run finds some pages already in memory.
    const first = round % 2 === 0 ? await bare() : undefined
    const [one, two] = [await settleAt(end, round % 2 === 0), await settleAt(end + 5_000, round % 2 === 1)]
    const [settled, unlisted] = round % 2 === 0 ? [one, two] : [two, one]
    const written = first ?? (await bare())
    ratios.push(settled.ms / written.ms)
    listing.push(settled.cpuMs / unlisted.cpuMs)
    console.log(
      `round ${round + 1}: bare writes ${written.ms.toFixed(0)} ms (${written.cpuMs.toFixed(0)} ms of PostgreSQL's CPU); settled in sets of ${SETTLE_BATCH} by ${WORKERS} ${settled.ms.toFixed(0)} ms (${settled.cpuMs.toFixed(0)} ms), x${(settled.ms / written.ms).toFixed(2)}; unlisted ${unlisted.ms.toFixed(0)} ms (${unlisted.cpuMs.toFixed(0)} ms)`,
    )
  }
  console.log(`settling ${TRADES} trades: ${median(ratios).toFixed(2)} times the bare writes (at most 1.3 wanted)`)
  console.log(
    `listing them for the checkpoint: ${median(listing).toFixed(3)} times the CPU of settling without (at most 1.05 wanted)`,
  )
  for (const connection of [...settling, ...writing]) await connection.close()
  // Those that weren't listed are in no checkpoint.
  await checkInvariants(postgres.superUrl, { except: ['T8'] })
} finally {
  await postgres.stop()
}

async function measured(work: () => Promise<number>): Promise<{ ms: number; cpuMs: number }> {
  await postgres.run('checkpoint')
  const cpu = databaseCpu(postgres)
  const from = performance.now()
  const done = await work()
  const ms = performance.now() - from
  if (done !== TRADES) throw new Error(`${done} of ${TRADES} were settled`)
  return { ms, cpuMs: (databaseCpu(postgres) - cpu) / 1000 }
}

async function settle(connections: readonly Connection[], end: number): Promise<number> {
  const values = [symbols, numbers(Array(SYMBOLS).fill(end + 1)), SETTLE_BATCH, connections.length]
  const counts = await Promise.all(
    connections.map(async (connection, worker) => {
      for (let settled = 0; ; ) {
        const rows = await connection.run('settle', SETTLE_PROVEN_SQL, [...values, worker, '{}', false])
        if (rows.length === 0) return settled
        settled += rows.length
      }
    }),
  )
  return counts.reduce((sum, count) => sum + count)
}

async function writeBare(connections: readonly Connection[]): Promise<number> {
  const [last] = await connections[0]!.run<{ batch: number }>(
    'last',
    'select max(batch) as batch from bare_outcomes',
    [],
  )
  let next = 0
  const counts = await Promise.all(
    connections.map(async (connection) => {
      for (let written = 0; ; ) {
        const batch = next++
        if (batch > last!.batch) return written
        written += (await connection.run('bare', BARE_SQL, [batch])).length
      }
    }),
  )
  return counts.reduce((sum, count) => sum + count)
}

/** Computes what the reference writes: the outcomes of the trades that end in the second before `end`. */
async function prepareWrites(end: number): Promise<void> {
  await postgres.run(`
    drop table if exists bare_outcomes, bare_accounts, bare_movements;
    create unlogged table bare_outcomes as
    select t.id, t.account_id, t.stake, (sum(1) over (order by t.account_id) / ${SETTLE_BATCH})::int as batch,
      o.status, o.payout, 'The bench decided it.' as reason,
      e.seq as entry_seq, e.price as entry_price, e.source_ms as entry_time, x.seq as exit_seq, x.price as exit_price, x.source_ms as exit_time
    from trades t cross join lateral (${entrySql('t')}) e
    cross join lateral (
      select k.* from ticks k where k.symbol_id = t.symbol_id and k.source_ms <= t.end_time order by k.source_ms desc limit 1
    ) x
    cross join lateral (
      select case when x.price = e.price then 'Draw' when (x.price > e.price) = (t.side = 'Buy') then 'Won' else 'Lost' end::trade_status as status
    ) s
    cross join lateral (
      select s.status, case s.status when 'Won' then t.stake + (t.stake * t.percent + 50) / 100 when 'Lost' then 0 else t.stake end as payout
    ) o
    where t.status = 'Pending' and t.end_time > ${end - 1_000} and t.end_time <= ${end};
    create unlogged table bare_movements as
    select o.batch, o.id as cause_id, p.part, o.account_id, p.debit::slot, p.credit::slot, p.amount,
      a.seq + row_number() over w as account_seq,
      a.balance + sum(case when p.credit = 'balance' then p.amount else 0 end) over w as balance_after
    from bare_outcomes o join accounts a on a.id = o.account_id
    cross join lateral (values
      (1::smallint, 'escrow', case o.status when 'Lost' then 'house' else 'balance' end, o.stake),
      (2::smallint, 'house', 'balance', greatest(o.payout - o.stake, 0))
    ) p(part, debit, credit, amount)
    where p.amount > 0
    window w as (partition by o.account_id order by o.id, p.part);
    create unlogged table bare_accounts as
    select m.batch, m.account_id as id, count(*) as parts, sum(amount) filter (where debit = 'escrow') as released,
      coalesce(sum(amount) filter (where credit = 'balance'), 0) as gained
    from bare_movements m group by 1, 2;
    create index on bare_outcomes (batch);
    create index on bare_movements (batch);
    create index on bare_accounts (batch);
    analyze bare_outcomes; analyze bare_movements; analyze bare_accounts`)
}

/**
 * Opens trades that end within one second, with the ticks that decide them. `block` selects the accounts: 0 or 100.
 */
async function openTrades(set: number, end: number, block: 0 | 100): Promise<void> {
  const base = 1_000_000 * (set + 1)
  const account = accountOfSql(`(((g * 7919::bigint) % ${ACCOUNTS / 200}) * 200 + ${block} + 1 + g % 99)`, 'demo')
  await postgres.run(`
    insert into ticks (symbol_id, source_ms, seq, price, kind, frame)
    select s, ${end - 60_000} + g * 500, ${set * 1000} + g + 1, 1000 + (g * 7919 + s * 31) % 13, 2, 1
    from generate_series(1, ${SYMBOLS}) s, generate_series(0, 121) g on conflict do nothing`)
  await postgres.run(`
    with chosen as materialized (
      select ${base} + g as id, ${account} as account_id, 1 + g % ${SYMBOLS} as symbol_id, 100 + g % 900 as stake,
        ${end - 60_000} - g % 1000 as trade_time, g
      from generate_series(1, ${TRADES}) g
    ), opened as (
      insert into trades (id, account_id, mode, symbol_id, source_kind, stale_after_ms, side, strike_rate, percent, stake, duration_seconds, trade_time, end_time, price_list)
      select id, account_id, 'demo', symbol_id, 2, 10000, case when g % 2 = 0 then 'Buy' else 'Sell' end::trade_side, '75/3', case when g % 2 = 0 then 75 else 3 end, stake, 60, trade_time, trade_time + 60000, 1
      from chosen
    ), numbered as (
      select c.*, a.seq + row_number() over w as account_seq, a.balance - sum(c.stake) over w as balance_after
      from chosen c join accounts a on a.id = c.account_id window w as (partition by c.account_id order by c.id)
    ), moved as (
      insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
      select 'trade_open', id, 1, account_id, 'demo', 'balance', 'escrow', stake, account_seq, balance_after, clock_timestamp() from numbered
    )
    update accounts a set balance = a.balance - n.total, escrow = a.escrow + n.total, seq = a.seq + n.parts, last_at = clock_timestamp()
    from (select account_id, sum(stake) as total, count(*) as parts from chosen group by account_id) n where a.id = n.account_id`)
  for (const table of ['trades', 'transfers', 'accounts', 'ticks']) await postgres.run(`vacuum analyze ${table}`)
}
