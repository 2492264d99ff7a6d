import { createHash } from 'node:crypto'
import type { SkipReason } from '#contract/automatic.ts'
import { Problem } from '#contract/problem.ts'
import { strikeRateFor } from '#contract/terms.ts'
import { modeOf, userOf } from '../ledger/index.ts'
import { inTransaction, sql, sqlState, type Tx } from '../platform/database/db.ts'
import { startLoop } from '../platform/process/loop.ts'
import type { AutomaticDeps } from './deps.ts'
import {
  ADOPT_SQL,
  ANY_SQL,
  IDLE_MS,
  RESERVE_SQL,
  type ReservedRow,
  STALE_SQL,
  SYNC_SQL,
  type SyncedRow,
} from './reserve.sql.ts'
import { notifyStops } from './stops.ts'

type Reservation = Pick<
  ReservedRow,
  'account_id' | 'signal' | 'symbol_id' | 'side' | 'duration_seconds' | 'strike_rate' | 'stake'
>

export interface Follower {
  /** Runs one round now (for tests; the loop does the same). */
  round(): Promise<void>
  /** Signals were recorded: look now. */
  wake(): void
  stop(): Promise<void>
}

const ROUND_MS = 500
/** While nothing has been done for a minute. New signals wake the worker. */
const IDLE_ROUND_MS = 5_000
const IDLE_AFTER_MS = 60_000
/** Followers whose payouts are copied, or trades reserved, in one statement. */
const BATCH = 2_000
/** Maximum orders in flight, so that a click never waits behind more automatic orders than these. */
const SUBMIT_AT_ONCE = 200

/** Follows signals. All state is in the database, and any number of workers may run at the same time. */
export function startFollower(deps: AutomaticDeps, { byHand = false } = {}): Follower {
  const { db, log } = deps
  const underWay = new Set<string>()
  let workedAt = performance.now()
  const isIdle = () => performance.now() - workedAt > IDLE_AFTER_MS
  const pause = () => (isIdle() ? IDLE_ROUND_MS : ROUND_MS)
  const loop = byHand
    ? undefined
    : startLoop('automatic trades', pause, log, async () => {
        if (!isIdle() || (await isAnyWork())) await round()
      })

  async function isAnyWork(): Promise<boolean> {
    return (await sql.raw<{ any_work: boolean }>(ANY_SQL).execute(db)).rows[0]!.any_work
  }

  async function round(): Promise<void> {
    await copyPayouts()
    changed((await sql.raw<{ account_id: bigint }>(STALE_SQL).execute(db)).rows)
    await submit((await sql.raw<Reservation>(ADOPT_SQL).execute(db)).rows)
    for (;;) {
      const rows = await reserve()
      await submit(rows.filter(({ verdict }) => verdict === 'reserve'))
      changed(rows.filter(({ verdict }) => verdict !== 'reserve'))
      if (rows.length < BATCH) return
    }
  }

  /** Copies the payouts of settled trades, and stops the followers whose losses in a row reach their limit. */
  async function copyPayouts(): Promise<void> {
    for (;;) {
      const rows = await inTransaction(db, (tx) => decide<SyncedRow>(tx, SYNC_SQL))
      changed(rows)
      if (rows.length < BATCH) return
    }
  }

  const reserve = () =>
    inTransaction(db, async (tx) => {
      // Force index lookups and hash joins: with other plans the cost could grow with the product of the tables' sizes.
      await sql`select set_config('enable_seqscan', 'off', true), set_config('enable_nestloop', 'off', true)`.execute(
        tx,
      )
      return decide<ReservedRow>(tx, RESERVE_SQL)
    })

  /** Runs a statement for a batch of followers, and notifies the owners of those that it stopped. */
  async function decide<Row extends SyncedRow>(tx: Tx, text: string): Promise<Row[]> {
    const { rows } = await sql.raw<Row>(text.replace('$1', String(BATCH))).execute(tx)
    await notifyStops(tx, deps.notices, rows)
    return rows
  }

  /** Submits reservations, a few at a time. */
  async function submit(rows: readonly Reservation[]): Promise<void> {
    const mine = rows.filter((row) => !underWay.has(nameOf(row)))
    for (const row of mine) underWay.add(nameOf(row))
    try {
      for (let i = 0; i < mine.length; i += SUBMIT_AT_ONCE) {
        const group = mine.slice(i, i + SUBMIT_AT_ONCE)
        const reasons = await Promise.all(group.map(open))
        await skip(group.flatMap((row, at) => (reasons[at] === undefined ? [] : [{ row, reason: reasons[at] }])))
        changed(group)
      }
    } finally {
      for (const row of mine) underWay.delete(nameOf(row))
    }
  }

  /** Opens the trade of a reservation. Returns why it was skipped; undefined if it was traded or will be tried again. */
  async function open(row: Reservation): Promise<SkipReason | undefined> {
    const instrument = deps.instruments.byId(row.symbol_id)
    if (!instrument?.tradingType) return 'closed'
    const mode = modeOf(row.account_id)
    const key = `automatic:${row.signal}:${mode}`
    try {
      await deps.trading.open({
        userId: userOf(row.account_id),
        body: {
          symbol: instrument.symbol,
          trading_type: instrument.tradingType,
          trade_mode: row.side,
          duration: row.duration_seconds,
          strike_rate: strikeRateFor(row.strike_rate, row.side),
          mode,
        },
        stake: row.stake,
        key,
        fingerprint: createHash('sha256').update(`${key} ${row.stake}`).digest(),
        signal: row.signal,
      })
      return undefined
    } catch (error) {
      return reasonOf(error)
    }
  }

  function reasonOf(error: unknown): SkipReason | undefined {
    if (error instanceof Problem) {
      switch (error.code) {
        case 'insufficient_balance':
          return 'balance'
        case 'account_locked':
          return 'locked'
        case 'price_unavailable':
          return 'closed'
        case 'order_expired':
          return 'stale'
        case 'limit_reached':
        case 'reality_check_due':
          return 'limit'
        case 'unavailable':
          // Tried again while the signal is fresh.
          return undefined
      }
    }
    // The reservation was cancelled meanwhile, or is too old: its trigger rejected the trade.
    if (sqlState(error) === '23514') return 'stale'
    log.error({ error: String(error) }, 'an automatic trade failed')
    return undefined
  }

  /** Cancels reservations. Followers without money, or with a locked account, pause for a while. */
  async function skip(skipped: readonly { row: Reservation; reason: SkipReason }[]): Promise<void> {
    if (skipped.length === 0) return
    const idle = skipped.filter(({ reason }) => reason === 'balance' || reason === 'locked')
    await inTransaction(db, async (tx) => {
      await sql`
        update automatic_orders o set status = 'Skipped', reason = s.reason, slot = null
        from unnest(
          ${skipped.map(({ row }) => row.signal)}::bigint[], ${skipped.map(({ row }) => row.account_id)}::bigint[],
          ${skipped.map(({ reason }) => reason)}::skip_reason[]
        ) as s(signal, account_id, reason)
        where o.signal = s.signal and o.account_id = s.account_id and o.status = 'Reserved'`.execute(tx)
      await sql`
        update automations a set idle_until = ${Math.floor(deps.clock.now()) + IDLE_MS}, idle_reason = s.reason
        from unnest(${idle.map(({ row }) => row.account_id)}::bigint[], ${idle.map(({ reason }) => reason)}::skip_reason[])
          as s(account_id, reason)
        where a.account_id = s.account_id`.execute(tx)
    })
  }

  /** Asks open screens to read again; pushes are hints. */
  function changed(rows: readonly { account_id: bigint }[]): void {
    if (rows.length === 0) return
    workedAt = performance.now()
    const accountIds = [...new Set(rows.map((row) => String(row.account_id)))]
    deps.bus.publish('automatic-changed', { accountIds })
  }

  return {
    round,
    wake: () => loop?.wake(),
    async stop() {
      await loop?.stop()
    },
  }
}

const nameOf = (row: Reservation): string => `${row.account_id} ${row.signal}`
