import { CompiledQuery } from 'kysely'
import { first } from '#kernel/must.ts'
import { inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import { startLoop } from '../../platform/process/loop.ts'
import type { AutomaticDeps } from '../deps.ts'
import {
  ADOPT_SQL,
  ANY_SQL,
  RESERVE_SQL,
  type ReservedRow,
  STALE_SQL,
  SYNC_SQL,
  type SyncedRow,
  ZONES_SQL,
} from './reserve.sql.ts'
import { notifyStops } from './stops.ts'
import { type Reservation, reservationSubmitter } from './submit-reservations.ts'
import { zonesOf } from './zones.ts'

interface Follower {
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

/** Follows signals. All state is in the database, and any number of workers may run at the same time. */
export function startFollower(deps: AutomaticDeps, { byHand = false } = {}): Follower {
  const { db, log } = deps
  const submit = reservationSubmitter(deps, (rows) => changed(rows))
  let workedAt = performance.now()
  const isIdle = () => performance.now() - workedAt > IDLE_AFTER_MS
  const pause = () => (isIdle() ? IDLE_ROUND_MS : ROUND_MS)
  const loop = byHand
    ? undefined
    : startLoop('automatic trades', pause, log, async () => {
        if (!isIdle() || (await isAnyWork())) await round()
      })

  async function isAnyWork(): Promise<boolean> {
    return first((await sql.raw<{ any_work: boolean }>(ANY_SQL).execute(db)).rows).any_work
  }

  async function round(): Promise<void> {
    await copyPayouts()
    changed((await sql.raw<{ account_id: bigint }>(STALE_SQL).execute(db)).rows)
    await submit((await sql.raw<Reservation>(ADOPT_SQL).execute(db)).rows)
    for (;;) {
      const rows = await reserve(deps)
      await submit(rows.filter(({ verdict }) => verdict === 'reserve'))
      changed(rows.filter(({ verdict }) => verdict !== 'reserve'))
      if (rows.length < BATCH) return
    }
  }

  /** Copies the payouts of settled trades, and stops or pauses the followers that reach a limit by them. */
  async function copyPayouts(): Promise<void> {
    for (;;) {
      const rows = await inTransaction(db, (tx) => decide<SyncedRow>(deps, tx, SYNC_SQL))
      changed(rows)
      if (rows.length < BATCH) return
    }
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

const reserve = (deps: AutomaticDeps): Promise<ReservedRow[]> =>
  inTransaction(deps.db, async (tx) => {
    // Forces index lookups and hash joins: with other plans the cost could grow with the product of the tables' sizes.
    const { zones } = first((await sql.raw<{ zones: string[] }>(ZONES_SQL).execute(tx)).rows)
    return decide<ReservedRow>(deps, tx, RESERVE_SQL, [JSON.stringify(zonesOf(zones, deps.clock.now()))])
  })

/** Runs a statement for a batch of followers, and notifies the owners of those that it stopped. */
async function decide<Row extends SyncedRow>(
  deps: AutomaticDeps,
  tx: Tx,
  text: string,
  more: readonly string[] = [],
): Promise<Row[]> {
  const { rows } = await tx.executeQuery<Row>(CompiledQuery.raw(text, [BATCH, ...more]))
  await notifyStops(tx, deps.notices, rows)
  return rows
}
