import { randomBytes } from 'node:crypto'
import { ownStrategyKey, type TradeSide } from '#contract/terms.ts'
import type { RECEIVED_VOID } from '#contract/trading/webhooks.ts'
import { must } from '#kernel/must.ts'
import { SECOND_MS, startOf } from '#kernel/time.ts'
import { lockUnchanged, recordedVersions } from '../../own-strategies/index.ts'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import { type Instruments, type Tape, tapeTime } from '../../prices/index.ts'
import { type Draft, SEAL_BYTES } from '../decide.ts'
import { insertSignals, lockChain, type SignalRow } from '../record.ts'

type Void = (typeof RECEIVED_VOID)[number]

interface PendingRow {
  strategy_id: bigint
  id: bigint
  symbol_id: number
  side: TradeSide
  is_late: boolean
}

/** Messages decided in one transaction, and the age from which one is void: its sender's time counted when it came. */
const AT_ONCE = 200
const LATE_SECONDS = 5

/**
 * Makes signals of the messages that nodes have taken, oldest first, or writes why they are void. A strategy has one open
 * signal for each symbol, so that outcomes of one symbol never overlap. Returns the signals.
 */
export function decideReceived({
  db,
  tape,
  instruments,
}: {
  db: Db
  tape: Tape
  instruments: Instruments
}): Promise<SignalRow[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<PendingRow>`
      select strategy_id, id, symbol_id, side, at < clock_timestamp() - ${LATE_SECONDS} * interval '1 second' as is_late
      from received_signals where signal is null and void is null
      order by id limit ${AT_ONCE} for no key update skip locked`.execute(tx)
    if (rows.length === 0) return []
    await lockChain(tx)
    const drafts = await draftsOf(tx, { tape, instruments }, rows)
    const open = await openSignals(tx, drafts)
    const voids = new Map<PendingRow, Void>()
    const wanted = new Map<string, { row: PendingRow; draft: Draft }>()
    for (const row of rows) {
      const draft = drafts.get(row)
      const name = nameOf(row)
      if (row.is_late) voids.set(row, 'late')
      else if (!draft) voids.set(row, 'off')
      else if (open.has(name) || wanted.has(name)) voids.set(row, 'open')
      else wanted.set(name, { row, draft })
    }
    const signals = await insertSignals(
      tx,
      [...wanted.values()].map(({ draft }) => draft),
    )
    const written = new Map(signals.map((signal) => [`${signal.strategy} ${signal.symbol_id}`, signal.n]))
    for (const [name, { row }] of wanted) if (!written.has(name)) voids.set(row, 'open')
    await sql`
      update received_signals r set signal = d.signal, void = d.void
      from unnest(
        ${rows.map((row) => row.strategy_id)}::bigint[], ${rows.map((row) => row.id)}::bigint[],
        ${rows.map((row) => (voids.has(row) ? null : must(written.get(nameOf(row)))))}::bigint[],
        ${rows.map((row) => voids.get(row) ?? null)}::text[]
      ) as d(strategy_id, id, signal, void)
      where r.strategy_id = d.strategy_id and r.id = d.id`.execute(tx)
    return signals
  })
}

const nameOf = (row: PendingRow) => `${ownStrategyKey(row.strategy_id)} ${row.symbol_id}`

/** Returns the signals that the messages would become. None of a strategy that is off, or is being changed. */
async function draftsOf(
  tx: Tx,
  { tape, instruments }: { tape: Tape; instruments: Instruments },
  rows: readonly PendingRow[],
): Promise<Map<PendingRow, Draft>> {
  const now = Number(await tapeTime(tx))
  const versions = await recordedVersions(tx, [...new Set(rows.map((row) => row.strategy_id))])
  const drafts = new Map<PendingRow, Draft>()
  for (const row of rows) {
    const version = versions.get(row.strategy_id)
    const instrument = instruments.byId(row.symbol_id)
    if (!version?.symbolIds.includes(row.symbol_id) || !instrument) continue
    drafts.set(row, {
      strategy: ownStrategyKey(row.strategy_id),
      version: version.version,
      symbolId: row.symbol_id,
      side: row.side,
      durationSeconds: version.durationSeconds,
      // Signals of one period move together, as those of one close do.
      candleClose: startOf(now, version.durationSeconds * SECOND_MS),
      sourceKind: tape.kind(instrument.symbol),
      staleAfterMs: instrument.staleAfterMs,
      seal: version.isPublic ? null : randomBytes(SEAL_BYTES),
    })
  }
  const unchanged = new Set(await lockUnchanged(tx, [...drafts.values()]))
  return new Map([...drafts].filter(([, draft]) => unchanged.has(draft)))
}

/** Returns which of these strategies have an open signal for which symbol. */
async function openSignals(tx: Tx, drafts: ReadonlyMap<PendingRow, Draft>): Promise<Set<string>> {
  const { rows } = await sql<{ strategy: string; symbol_id: number }>`
    select distinct s.strategy, s.symbol_id from unnest(
      ${[...drafts.values()].map((draft) => draft.strategy)}::text[], ${[...drafts.values()].map((draft) => draft.symbolId)}::smallint[]
    ) as d(strategy, symbol_id)
    join signals s on s.symbol_id = d.symbol_id and s.status = 'Pending' and s.strategy = d.strategy`.execute(tx)
  return new Set(rows.map((row) => `${row.strategy} ${row.symbol_id}`))
}
