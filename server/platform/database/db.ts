import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql, type Transaction } from 'kysely'
import pg from 'pg'
import { Problem } from '#contract/problem.ts'
import { assert } from '#kernel/assert.ts'
import type { Log } from '../process/log.ts'
import type { DB } from './db-types.ts'
import { poolTo } from './primary.ts'

// int8 as bigint: money and ids never pass through a float.
pg.types.setTypeParser(pg.types.builtins.INT8, BigInt)
// A calendar day is text; a Date would shift it between time zones.
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** The database, outside of any transaction. */
export type Db = Kysely<DB> & { readonly log: Log }

/**
 * A transaction of `inTransaction`. A function that has to notify someone takes a `Tx` and registers it here, so its
 * callers have nothing to remember.
 */
export type Tx = Transaction<DB> & {
  /**
   * Runs `callback` once the commit is certain, after those registered before it, and never if the transaction rolls
   * back. It can't fail the transaction: an error is logged. With `once`, only the first callback of that key runs.
   */
  afterCommit(callback: () => void | Promise<void>, options?: { once: string }): void
}

export interface Database {
  db: Db
  pool: pg.Pool
  /** The pool's connections with their prepared statements: the only way to use both `db` and another Kysely on them. */
  connections: PostgresPool
  close(): Promise<void>
}

interface DatabaseOptions {
  /** Maximum connections. */
  max: number
  name: string
  log: Log
  /**
   * Read-only connections that plan each statement once, whatever its values: for statements whose best plan never
   * changes. Conditions that select a partial index must be literals in the statement text.
   */
  reads?: boolean
  /** Holds locks that traders wait for: its transactions end soon if it hangs, and wait for no lock for long. */
  isNode?: boolean
  /** Runs on each new connection. If it fails, the connection is closed, and its first user gets the error. */
  onConnect?(client: pg.ClientBase): Promise<void>
}

/** A node that hangs in the middle of a transaction loses it, with its locks, after this long. */
const NODE_IDLE_MS = 5_000
/**
 * Requests that wait for one lock, such as those of a locked account's trader, use up the connections of everybody else.
 * Longer than any transaction of the product takes.
 */
const NODE_LOCK_MS = 5_000

/** The only access to the database. */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const pool = poolTo(url, {
    max: options.max,
    application_name: `cleartick ${options.name}`,
    connectionTimeoutMillis: 5_000,
    // A connection that ends takes its prepared statements and their plans with it.
    idleTimeoutMillis: 600_000,
    statement_timeout: 60_000,
    idle_in_transaction_session_timeout: options.isNode ? NODE_IDLE_MS : 60_000,
    ...(options.isNode ? { lock_timeout: NODE_LOCK_MS } : {}),
    ...(options.reads ? { options: '-c plan_cache_mode=force_generic_plan -c default_transaction_read_only=on' } : {}),
    // The driver waits for the promise; its types don't say so.
    ...(options.onConnect ? { onConnect: options.onConnect as (client: pg.ClientBase) => void } : {}),
  })
  // Without error listeners a dropped connection would end the process: idle ones report to the pool, checked-out ones
  // to their own listener.
  pool.on('error', (error) => options.log.warn({ error: error.message }, 'an idle database connection failed'))
  pool.on('connect', (client) => client.on('error', () => undefined))
  const connections = preparing(pool)
  const db = dbOn(connections, options.log)
  return { db, pool, connections, close: () => db.destroy() }
}

const dbOn = (pool: PostgresPool, log: Log): Db =>
  Object.assign(new Kysely<DB>({ dialect: new PostgresDialect({ pool }) }), { log })

/**
 * Reads from a standby. What the standby refuses or can't finish, and every transaction, runs on the primary instead:
 * no caller gets an error because of the standby. `fellBack` is called for each statement that it refused.
 */
export function readingFrom(standby: Database, primary: Database, fellBack: (error: unknown) => void): Db {
  const pool: PostgresPool = {
    async connect() {
      let isStandby = true
      let held = await standby.connections.connect().catch((error: unknown) => {
        fellBack(error)
        isStandby = false
        return primary.connections.connect()
      })
      async function toPrimary(): Promise<void> {
        held.release()
        isStandby = false
        held = await primary.connections.connect()
      }
      const query = async (text: string, values: readonly unknown[]) => {
        if (isStandby && /^(begin|start transaction)\b/.test(text)) await toPrimary()
        if (!isStandby) return held.query(text, values)
        try {
          return await held.query(text, values)
        } catch (error) {
          // It took too long: it would on the primary, too.
          if (sqlState(error) === '57014') throw error
          fellBack(error)
          await toPrimary()
          return held.query(text, values)
        }
      }
      return { query: query as PostgresPoolClient['query'], release: () => held.release() }
    },
    end: async () => undefined,
    options: primary.connections.options,
  }
  return dbOn(pool, primary.db.log)
}

/**
 * Maximum number of named statements; the product has a few hundred, and lists of varying length must not fill the
 * memory.
 */
const PREPARED_MAX = 500

/** A pool whose connections parse each statement once, and plan it once if the planner accepts a generic plan. */
function preparing(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>()
  const prepared = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  let renewed = 0

  function nameOf(text: string): string | undefined {
    let name = names.get(text)
    if (name === undefined && names.size < PREPARED_MAX && /^\s*(select|with|insert|update|delete)\b/.test(text)) {
      name = `s${names.size}`
      names.set(text, name)
    }
    return name
  }

  /** Prepares a statement again, under another name. */
  function renew(text: string): void {
    if (names.has(text)) names.set(text, `s${names.size}_${++renewed}`)
  }

  return {
    async connect() {
      const client = await pool.connect()
      let same = prepared.get(client)
      if (!same) {
        const run = (text: string, values: unknown[]) => client.query({ name: nameOf(text), text, values })
        const query = (text: string, values: unknown[]) =>
          run(text, values).catch((error: unknown) => {
            if (!isStalePlan(error)) throw error
            renew(text)
            // In a transaction this fails too: the transaction is retried as a whole.
            return run(text, values).catch(() => {
              throw error
            })
          })
        same = {
          query: query as unknown as PostgresPoolClient['query'],
          release: (destroy) => client.release(destroy),
        }
        prepared.set(client, same)
      }
      return same
    },
    end: () => pool.end(),
    options: pool.options,
  }
}

/** A read-only transaction that sees one state of the database. */
export type Snapshot = Transaction<DB>

/** Runs queries in one snapshot of the database. */
export const inSnapshot = <T>(db: Db, work: (snapshot: Snapshot) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)

/**
 * Runs `work` in one transaction; an exception rolls everything back. Retries on serialisation failures and deadlocks.
 * After the commit, and before it returns, runs what the successful attempt registered with `tx.afterCommit`.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const registered = callbackList()
    let result: T
    try {
      result = await db
        .transaction()
        .execute((transaction) => work(Object.assign(transaction, { afterCommit: registered.add })))
    } catch (error) {
      if (attempt < 5 && (isRetryable(error) || isStalePlan(error))) continue
      throw error
    } finally {
      registered.close()
    }
    for (const callback of registered.callbacks) {
      try {
        await callback()
      } catch (error) {
        db.log.error({ error: String(error) }, 'a callback after a commit failed')
      }
    }
    return result
  }
}

function callbackList() {
  const callbacks: (() => void | Promise<void>)[] = []
  const keys = new Set<string>()
  let open = true
  const add: Tx['afterCommit'] = (callback, options) => {
    assert(open, 'callbacks are registered before the transaction ends')
    if (options && keys.has(options.once)) return
    if (options) keys.add(options.once)
    callbacks.push(callback)
  }
  return {
    callbacks,
    add,
    close() {
      open = false
    },
  }
}

export const isRetryable = (error: unknown): boolean => ['40001', '40P01'].includes(sqlState(error) ?? '')

/** A later version has added a column to a table of which a prepared statement reads all columns. */
const isStalePlan = (error: unknown): boolean =>
  sqlState(error) === '0A000' && /cached plan must not change result type/.test((error as Error).message)

/** Returns PostgreSQL's error code, if the error came from it. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** A lock that another transaction holds was waited for too long. Nothing has changed. */
export const isLockTimeout = (error: unknown): boolean => sqlState(error) === '55P03'

export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  sqlState(error) === '23505' && (constraint === undefined || (error as pg.DatabaseError).constraint === constraint)

/**
 * Returns whether the database itself is at fault (gone, restarting, out of connections), so that a retry may succeed.
 */
export function isDatabaseDown(error: unknown): boolean {
  const code = sqlState(error)
  if (code && /^(08|53|57|58|XX|25006|25P03)/.test(code)) return true
  if (code && ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'].includes(code)) return true
  return (
    error instanceof Error &&
    /Connection terminated|timeout exceeded when trying to connect|not queryable|Client has encountered a connection error/.test(
      error.message,
    )
  )
}

export const databaseDown = () =>
  new Problem('unavailable', "The service can't reach its database right now. Try again shortly.", {
    retryAfterSeconds: 2,
  })

export { sql }
