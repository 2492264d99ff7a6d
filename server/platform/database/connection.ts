import pg from 'pg'
import type { Log } from '../process/log.ts'
import { connectTo } from './primary.ts'

/**
 * A dedicated database connection, for work that must not wait for a pool. Opened on first use, discarded when it
 * breaks, reopened on the next call. Statements are prepared by name.
 */
export interface Connection {
  /** Runs one named statement, after those before it. A broken connection fails the call; whether it took effect is then unknown. */
  run<Row extends pg.QueryResultRow>(name: string, text: string, values: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/** `options` are settings of the database for this connection: `-c name=value`. */
export function openConnection(url: string, name: string, log: Log, options?: string): Connection {
  let connecting: Promise<pg.Client> | undefined
  // Statements run one after the other.
  let last: Promise<unknown> = Promise.resolve()

  function connected(): Promise<pg.Client> {
    if (connecting) return connecting
    const fresh = connectTo(url, {
      application_name: `cleartick ${name}`,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 60_000,
      ...(options === undefined ? {} : { options }),
    })
    const opened = fresh.connect().then(() => fresh)
    connecting = opened
    opened.catch(() => forget(opened))
    fresh.on('error', (error) => {
      log.warn({ connection: name, error: error.message }, 'a database connection failed')
      forget(opened)
    })
    fresh.on('end', () => forget(opened))
    return opened
  }

  function forget(broken: Promise<pg.Client>): void {
    if (connecting === broken) connecting = undefined
  }

  async function runNow<Row extends pg.QueryResultRow>(statement: string, text: string, values: unknown[]) {
    const mine = connected()
    const used = await mine
    try {
      return (await used.query<Row>({ name: statement, text, values })).rows
    } catch (error) {
      // An error outside the statement's own error classes leaves the connection in doubt: a new one is cheap.
      if (!(error instanceof pg.DatabaseError) || error.severity === 'FATAL' || error.code?.startsWith('57')) {
        forget(mine)
        used.end().catch(() => undefined)
      }
      throw error
    }
  }

  return {
    run<Row extends pg.QueryResultRow>(statement: string, text: string, values: unknown[]) {
      const running = last.then(() => runNow<Row>(statement, text, values))
      last = running.catch(() => undefined)
      return running
    },
    async close() {
      const open = connecting
      connecting = undefined
      await open?.then((client) => client.end()).catch(() => undefined)
    },
  }
}

/** Formats numbers as PostgreSQL array text: many times faster than the driver for long arrays of plain values. */
export const numbers = (values: readonly (bigint | number)[]): string => `{${values.join(',')}}`
/** Encodes whole numbers as a PostgreSQL array in binary form: faster than text for both sides. */
export function bigints<T>(items: readonly T[], numberOf: (item: T) => number): Buffer {
  const { bytes, view } = binaryArray(INT8_OID, 8, items.length)
  let at = ARRAY_HEAD_BYTES
  for (const item of items) {
    const value = numberOf(item)
    view.setInt32(at, 8)
    view.setInt32(at + 4, Math.floor(value / 2 ** 32))
    view.setUint32(at + 8, value)
    at += 12
  }
  return bytes
}

/** The same for numbers of two bytes. */
export function smallints<T>(items: readonly T[], numberOf: (item: T) => number): Buffer {
  const { bytes, view } = binaryArray(INT2_OID, 2, items.length)
  let at = ARRAY_HEAD_BYTES
  for (const item of items) {
    view.setInt32(at, 2)
    view.setInt16(at + 4, numberOf(item))
    at += 6
  }
  return bytes
}

const INT2_OID = 21
const INT8_OID = 20
const ARRAY_HEAD_BYTES = 20

/** One dimension, no nulls, the type of the elements, their number, and the index of the first. */
function binaryArray(oid: number, elementBytes: number, length: number): { bytes: Buffer; view: DataView } {
  const bytes = Buffer.allocUnsafe(ARRAY_HEAD_BYTES + length * (4 + elementBytes))
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  for (const [at, value] of [1, 0, oid, length, 1].entries()) view.setInt32(4 * at, value)
  return { bytes, view }
}

/** Formats trusted words (never a user's text) as array text. */
export const words = (values: readonly string[]): string => `{${values.map((value) => `"${value}"`).join(',')}}`
