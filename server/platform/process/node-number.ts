import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Db, databaseDown, sql } from '../database/db.ts'
import type { Log } from './log.ts'
import { startLoop } from './loop.ts'

/** A number that no other running process has, for the ids that this one makes. */
interface NodeNumber {
  /** Throws `unavailable` while the lease can't be renewed: another process may have the number. */
  current(): number
  /** Gives the number back. */
  stop(): Promise<void>
}

const LEASE_MS = 300_000
const RENEW_MS = 60_000
const NUMBERS = 1_024
const ALL_TAKEN_PAUSE_MS = 1_000

/** Leases a node number, and renews the lease. Another one follows if this process was cut off for longer than that. */
export async function leaseNodeNumber(
  db: Db,
  log: Log,
  { leaseMs = LEASE_MS, renewMs = RENEW_MS } = {},
): Promise<NodeNumber> {
  const holder = randomUUID()
  const untilSql = sql`clock_timestamp() + make_interval(secs => ${leaseMs / 1_000})`
  let leased = await take()

  /** Leases the next number that no one has. Numbers come in turn, so the one that was free for longest comes first. */
  async function take(): Promise<{ number: number; until: number }> {
    for (let tries = 1; ; tries++) {
      const sentAt = performance.now()
      const { rows } = await sql<{ number: number }>`
        insert into node_leases as l (number, holder, until) values (nextval('node_numbers'), ${holder}, ${untilSql})
        on conflict (number) do update set holder = excluded.holder, until = excluded.until where l.until < clock_timestamp()
        returning number`.execute(db)
      if (rows[0]) return { number: rows[0].number, until: sentAt + leaseMs }
      if (tries % NUMBERS !== 0) continue
      log.error({ numbers: NUMBERS }, 'all node numbers are taken: waiting for one')
      await sleep(ALL_TAKEN_PAUSE_MS)
    }
  }

  async function renew(): Promise<void> {
    const sentAt = performance.now()
    const { rows } = await sql`
      update node_leases set until = ${untilSql} where number = ${leased.number} and holder = ${holder} returning number`.execute(
      db,
    )
    if (rows.length > 0) leased = { ...leased, until: sentAt + leaseMs }
    else {
      log.warn({ number: leased.number }, 'another process has taken the node number')
      leased = await take()
    }
  }

  let isFirst = true
  const renewing = startLoop('node number', renewMs, log, async () => {
    if (!isFirst) await renew()
    isFirst = false
  })

  return {
    current() {
      if (performance.now() >= leased.until) throw databaseDown()
      return leased.number
    },
    async stop() {
      await renewing.stop()
      await sql`delete from node_leases where number = ${leased.number} and holder = ${holder}`
        .execute(db)
        .catch(() => undefined)
    },
  }
}
