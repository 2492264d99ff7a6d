import { usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { type Db, inTransaction, sql } from '../platform/database/db.ts'
import { type Instruments, readKinds, type Tape, TicksDropped } from '../prices/index.ts'
import { type Outcome, outcomeOnTape, RULE_VERSION, type Terms, tickReader } from '../trading/index.ts'
import type { SignalRow } from './record.ts'

/** Signals judged in one statement. */
const AT_ONCE = 500

export const DROPPED = 'The prices that decide it are no longer kept.'

/** A signal as a trade. Stake and payout decide nothing about its outcome. */
export const termsOf = (row: SignalRow): Terms => ({
  side: row.side,
  stake: usd(100n),
  percent: 1,
  tradeTime: Number(row.at),
  endTime: Number(row.end_time),
  staleAfterMs: row.stale_after_ms,
  sourceKind: row.source_kind,
  rule: RULE_VERSION,
})

/** Judges the signals whose end is proven, and returns how many. Several workers may run it at the same time. */
export async function judgeDue(db: Db, tape: Tape, instruments: Instruments): Promise<number> {
  const symbols = instruments.current().filter((instrument) => instrument.tradingType !== null)
  const { rows } = await sql<SignalRow>`
    select s.* from unnest(
      ${symbols.map(({ id }) => id)}::smallint[],
      ${symbols.map(({ symbol }) => Math.max(0, Math.floor(tape.provenUntil(symbol))))}::bigint[]
    ) as p(symbol_id, proven)
    join signals s on s.symbol_id = p.symbol_id and s.status = 'Pending' and s.end_time <= p.proven
    order by s.n limit ${AT_ONCE}`.execute(db)
  if (rows.length === 0) return 0
  const kinds = await readKinds(db)
  const readTicks = tickReader(db)
  const outcomes: Outcome[] = []
  for (const row of rows) {
    try {
      outcomes.push(await outcomeOnTape(termsOf(row), row.symbol_id, readTicks, kinds.get(row.symbol_id) ?? []))
    } catch (error) {
      if (!(error instanceof TicksDropped)) throw error
      outcomes.push({ status: 'Void', payout: usd(100n), reason: DROPPED })
    }
  }
  await write(db, rows, outcomes)
  return rows.length
}

/** Returns when the next unjudged signal ends, Unix ms; infinity if there is none. */
export async function nextEnd(db: Db): Promise<number> {
  const { rows } = await sql<{ ends: bigint | null }>`
    select min(end_time) as ends from signals where status = 'Pending'`.execute(db)
  return Number(first(rows).ends ?? Number.POSITIVE_INFINITY)
}

/** Writes outcomes and counts them by hour, in one statement. A signal that another worker has judged stays as it is. */
async function write(db: Db, rows: readonly SignalRow[], outcomes: readonly Outcome[]): Promise<void> {
  const ticks = (end: 'entry' | 'exit') => ({
    prices: outcomes.map((outcome) => outcome[end]?.price ?? null),
    times: outcomes.map((outcome) => outcome[end]?.sourceMs ?? null),
    seqs: outcomes.map((outcome) => outcome[end]?.seq ?? null),
  })
  const entry = ticks('entry')
  const exit = ticks('exit')
  await inTransaction(db, async (tx) => {
    await sql`
      with judged as materialized (
        select * from unnest(
          ${rows.map((row) => row.n)}::bigint[], ${outcomes.map((outcome) => outcome.status)}::trade_status[],
          ${outcomes.map((outcome) => outcome.reason)}::text[],
          ${entry.prices}::bigint[], ${entry.times}::bigint[], ${entry.seqs}::bigint[],
          ${exit.prices}::bigint[], ${exit.times}::bigint[], ${exit.seqs}::bigint[]
        ) as j(n, status, reason, entry_price, entry_time, entry_seq, exit_price, exit_time, exit_seq)
      ), mine as materialized (
        select s.n from signals s where s.n in (select n from judged) and s.status = 'Pending' order by s.n for no key update
      ), written as (
        update signals s set status = j.status, outcome_reason = j.reason,
          entry_price = j.entry_price, entry_time = j.entry_time, entry_seq = j.entry_seq,
          exit_price = j.exit_price, exit_time = j.exit_time, exit_seq = j.exit_seq
        from judged j join mine using (n) where s.n = j.n
        returning s.*
      )
      insert into signal_hours as h (strategy, version, duration_seconds, side, source_kind, hour, won, lost, draws, voids)
      select strategy, version, duration_seconds, side, source_kind, candle_close / 3600000 * 3600000 as hour,
        count(*) filter (where status = 'Won'), count(*) filter (where status = 'Lost'),
        count(*) filter (where status = 'Draw'), count(*) filter (where status = 'Void')
      from written group by strategy, version, duration_seconds, side, source_kind, candle_close / 3600000
      order by 1, 2, 3, 4, 5, 6
      on conflict (hour, strategy, version, duration_seconds, side, source_kind) do update set
        won = h.won + excluded.won, lost = h.lost + excluded.lost, draws = h.draws + excluded.draws, voids = h.voids + excluded.voids`.execute(
      tx,
    )
  })
}
