import { hostname } from 'node:os'
import type pg from 'pg'
import { connectTo } from '../../../platform/database/primary.ts'
import type { Log } from '../../../platform/process/log.ts'

/** The connection that writes the tape. While this node leads, it has the leader's lock. */
export interface TapeConnection {
  /** Returns the open connection; opens one if there is none. */
  open(): Promise<pg.Client>
  /** Closes a connection that may be broken. Without the connection there is no lock. */
  drop(broken: pg.Client): void
  /** Whether the open connection has the lock. */
  leads(): boolean
  /** The connection got the lock. */
  locked(connected: pg.Client): void
  /** The lock was given back. */
  unlocked(): void
  close(): Promise<void>
}

export function createTapeConnection(url: string, log: Log): TapeConnection {
  let client: pg.Client | undefined
  // The connection that has the lock. One that broke meanwhile is no longer `client`, and leads no more.
  let leading: pg.Client | undefined
  const leads = () => leading !== undefined && leading === client

  function drop(broken: pg.Client): void {
    if (client !== broken) return
    if (leads()) log.warn({}, 'the connection that writes the tape broke')
    client = undefined
    void broken.end().catch(() => undefined)
  }

  return {
    async open() {
      if (client) return client
      const fresh = connectTo(url, {
        // Shows in pg_stat_activity which of several nodes has the lock. PostgreSQL keeps 63 bytes.
        application_name: `cleartick tape ${process.pid} on ${hostname()}`,
        connectionTimeoutMillis: 5_000,
        statement_timeout: 10_000,
        // The same plan fits every frame: planning each would cost half as much again.
        options: '-c plan_cache_mode=force_generic_plan',
        // The connection may be dead without an error.
        query_timeout: 15_000,
        keepAlive: true,
      })
      fresh.on('error', () => drop(fresh))
      fresh.on('end', () => drop(fresh))
      await fresh.connect()
      client = fresh
      return fresh
    },
    drop,
    leads,
    locked(connected) {
      leading = connected
    },
    unlocked() {
      leading = undefined
    },
    async close() {
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}
