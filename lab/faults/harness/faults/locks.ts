import { setTimeout as sleep } from 'node:timers/promises'
import { inTransaction, sql, type Tx } from '#server/platform/database/db.ts'
import type { World } from '../world.ts'
import type { Fault } from './fault.ts'

const HELD_MS = 3_000
/** Shorter than for rows: a lock on a whole table blocks everything behind it. */
const TABLE_HELD_MS = 1_500

/** Locks held by someone else: a forgotten console, a slow report, a migration. */
export const locks: Fault[] = [
  {
    name: 'lock-rows',
    says: 'hot rows locked for 3 s each: accounts, the head of the tape, limits of symbols',
    group: 'lock',
    async inject({ world }) {
      const rows = ['accounts', 'tape_head', 'symbol_open'] as const
      for (const table of rows)
        await hold(world, HELD_MS, (tx) => sql`select from ${sql.table(table)} for update`.execute(tx))
      return rows.length
    },
  },
  {
    name: 'lock-tables',
    says: 'whole tables locked for 1.5 s each: trades, transfers, frames, sessions, request keys',
    group: 'lock',
    async inject({ world }) {
      const tables = ['trades', 'transfers', 'frames', 'sessions', 'request_keys'] as const
      for (const table of tables)
        await hold(world, TABLE_HELD_MS, (tx) =>
          sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx),
        )
      return tables.length
    },
  },
]

async function hold({ database }: World, forMs: number, take: (tx: Tx) => Promise<unknown>): Promise<void> {
  await inTransaction(database.db, async (tx) => {
    await take(tx)
    await sleep(forMs)
  })
}
