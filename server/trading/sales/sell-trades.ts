import { usd } from '#kernel/money.ts'
import { must } from '#kernel/must.ts'
import { price } from '#kernel/price.ts'
import { saleRule, tickWithinMs, varianceMinute } from '#kernel/sale-value.ts'
import type { Ms } from '#kernel/time.ts'
import { userOf } from '../../ledger/index.ts'
import { type Connection, numbers, words } from '../../platform/database/connection.ts'
import { type Db, sqlState } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import { type Instruments, type Tape, type VariancesAt, variancesAt } from '../../prices/index.ts'
import type { TradesChanged } from '../notices/push-trades.ts'
import { ruleVersion, type Terms, type Tick } from '../trade.ts'
import { decideSale, type Sale, UNSOLD } from './sale.ts'
import { LEAVE_UNSOLD_SQL, SELL_SQL, type SoldRow, UNDECIDED_SQL, type UndecidedRow } from './sell.sql.ts'

/** Orders decided by one statement. */
const AT_ONCE = 500
/** How often orders are looked for whose message was lost. */
const LOOK_MS = 2_000
const AGAIN_MS = 250

interface SellingDeps {
  db: Db
  connection: Connection
  tape: Pick<Tape, 'provenUntil'>
  instruments: Pick<Instruments, 'byId'>
  log: Log
  changed(event: TradesChanged): void
}

/** Decides orders to sell, on the nodes that settle. */
interface Selling {
  /** An order to sell was accepted, on this or another node. */
  ordered(): void
  /** The tape has advanced. */
  frame(): void
  stop(): Promise<void>
}

/**
 * Decides each order to sell by the first price after it. All state is in the database: after a crash, the first round
 * continues where the last one stopped.
 */
export function startSelling(deps: SellingDeps): Selling {
  const variances = rememberedVariances(deps.db)
  let undecided = 0
  /** How many were accepted, so that a round knows of those that came while it ran. */
  let accepted = 0
  const loop = startLoop(
    'sales',
    () => (undecided > 0 ? AGAIN_MS : LOOK_MS),
    deps.log,
    async () => {
      const before = accepted
      undecided = (await decideAll(deps, variances)) + accepted - before
    },
  )
  return {
    // The price that decides it comes with a later frame.
    ordered() {
      accepted++
      undecided++
    },
    frame() {
      if (undecided > 0) loop.wake()
    },
    stop: loop.stop,
  }
}

type VariancesOf = (time: Ms) => Promise<VariancesAt | undefined>

/** Reads the variances of the tape, and those of the newest minutes once. */
function rememberedVariances(db: Db, most = 4): VariancesOf {
  const minutes = new Map<Ms, VariancesAt>()
  return async (time) => {
    const minute = varianceMinute(time)
    const known = minutes.get(minute)
    if (known) return known
    const found = await variancesAt(db, time)
    if (found) minutes.set(minute, found)
    if (minutes.size > most) minutes.delete(must(minutes.keys().next().value))
    return found
  }
}

/** Decides the orders that the tape can decide. Returns how many are left. */
async function decideAll(deps: SellingDeps, variances: VariancesOf): Promise<number> {
  let left = 0
  for (let after: [bigint, bigint] = [0n, 0n]; ; ) {
    const rows = await deps.connection.run<UndecidedRow & Record<string, unknown>>('undecided_sales', UNDECIDED_SQL, [
      ...after,
      AT_ONCE,
    ])
    left += rows.length - (await decideSome(deps, variances, rows))
    const last = rows.at(-1)
    if (!last || rows.length < AT_ONCE) return left
    after = [last.account_id, last.trade_id]
  }
}

/** Decides some orders. Returns how many were decided. */
async function decideSome(deps: SellingDeps, variances: VariancesOf, rows: readonly UndecidedRow[]): Promise<number> {
  const sold: Sold[] = []
  const unsold: Unsold[] = []
  for (const row of rows) {
    const sale = await decide(deps, variances, row)
    if (sale?.outcome === 'sold') {
      const { frame } = must(await variances(sale.tick.sourceMs))
      sold.push({ row, sale, frame })
    } else if (sale) unsold.push({ row, sale })
  }
  const decided = [
    ...(await inSets(deps, 'sell', SELL_SQL, sold, soldValues)),
    ...(await inSets(deps, 'leave_unsold', LEAVE_UNSOLD_SQL, unsold, unsoldValues)),
  ]
  if (decided.length > 0)
    deps.changed({
      tradeIds: decided.map(({ id }) => id),
      userIds: [...new Set(decided.map(({ account_id }) => userOf(account_id)))],
    })
  return decided.length
}

/** Runs a statement for a set; if it fails, for each by itself, so that one order never holds the others. */
async function inSets<T>(
  deps: SellingDeps,
  name: string,
  text: string,
  set: readonly T[],
  valuesOf: (set: readonly T[]) => unknown[],
): Promise<SoldRow[]> {
  if (set.length === 0) return []
  try {
    return await deps.connection.run<SoldRow & Record<string, unknown>>(name, text, valuesOf(set))
  } catch (error) {
    // The database refused a row.
    if (!/^2[23]/.test(sqlState(error) ?? '')) throw error
    if (set.length === 1) {
      deps.log.error({ error: String(error) }, 'could not decide an order to sell')
      return []
    }
    const decided: SoldRow[] = []
    for (const one of set) decided.push(...(await inSets(deps, name, text, [one], valuesOf)))
    return decided
  }
}

interface Sold {
  row: UndecidedRow
  sale: Extract<Sale, { outcome: 'sold' }>
  /** The frame that states the variance. */
  frame: number
}

interface Unsold {
  row: UndecidedRow
  sale: Extract<Sale, { outcome: 'unsold' }>
}

/** Decides an order; undefined while the tape can't, or if this version doesn't know the rules of the trade. */
async function decide(
  { tape, instruments }: SellingDeps,
  variances: VariancesOf,
  row: UndecidedRow,
): Promise<Sale | undefined> {
  const rule = saleRule(row.sale_rule)
  const decidedBy = ruleVersion(row.rule_version)
  if (!rule || !decidedBy) return undefined
  if (row.status !== 'Pending') return { outcome: 'unsold', says: UNSOLD.ended, tick: undefined }
  const at = Number(row.at)
  const first = tickOf(row.tick_seq, row.tick_price, row.tick_time, row.tick_kind)
  const tick = first && first.sourceMs <= at + tickWithinMs(rule) ? first : undefined
  const symbol = must(instruments.byId(row.symbol_id)).symbol
  if (!first && tape.provenUntil(symbol) < at + tickWithinMs(rule)) return undefined
  const terms: Terms = {
    side: row.side,
    stake: usd(row.stake),
    percent: row.percent,
    tradeTime: Number(row.trade_time),
    endTime: Number(row.end_time),
    staleAfterMs: row.stale_after_ms,
    sourceKind: row.source_kind,
    rule: decidedBy,
  }
  return decideSale(
    rule,
    terms,
    { at, minimum: usd(row.minimum) },
    {
      entry: tickOf(row.entry_seq, row.entry_price, row.entry_time, row.source_kind),
      tick,
      kindChanged: row.kind_changed,
      variance: tick && (await variances(tick.sourceMs))?.of.get(symbol),
    },
  )
}

const tickOf = (
  seq: bigint | null,
  units: bigint | null,
  time: bigint | null,
  kind: number | null,
): Tick | undefined =>
  seq === null || units === null || time === null || kind === null
    ? undefined
    : { seq, price: price(units), sourceMs: Number(time), kind }

const soldValues = (sold: readonly Sold[]): unknown[] => [
  numbers(sold.map(({ row }) => row.trade_id)),
  numbers(sold.map(({ row }) => row.at)),
  numbers(sold.map(({ sale }) => sale.payout)),
  numbers(sold.map(({ sale }) => sale.fee)),
  numbers(sold.map(({ sale }) => sale.variance)),
  numbers(sold.map(({ frame }) => frame)),
  numbers(sold.map(({ sale }) => sale.entry.seq)),
  numbers(sold.map(({ sale }) => sale.entry.price)),
  numbers(sold.map(({ sale }) => sale.entry.sourceMs)),
  numbers(sold.map(({ sale }) => sale.tick.seq)),
  numbers(sold.map(({ sale }) => sale.tick.price)),
  numbers(sold.map(({ sale }) => sale.tick.sourceMs)),
]

const unsoldValues = (unsold: readonly Unsold[]): unknown[] => [
  numbers(unsold.map(({ row }) => row.account_id)),
  numbers(unsold.map(({ row }) => row.trade_id)),
  numbers(unsold.map(({ row }) => row.at)),
  words(unsold.map(({ sale }) => sale.says)),
  known(unsold.map(({ sale }) => sale.tick?.seq)),
  known(unsold.map(({ sale }) => sale.tick?.price)),
  known(unsold.map(({ sale }) => sale.tick?.sourceMs)),
]

const known = (values: readonly (bigint | number | undefined)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`
