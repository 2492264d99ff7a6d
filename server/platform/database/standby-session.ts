import pg from 'pg'
import { assert } from '#kernel/assert.ts'
import { first } from '#kernel/must.ts'
import type { Log } from '../process/log.ts'
import { type Database, type Db, openDatabase, readingFrom } from './db.ts'

/** One that is silent for this long is cut off, so that reads that wait for it go to the primary. */
const SILENT_MS = 1_500
const CONNECTIONS = 8
const LIST_CONNECTIONS = 4

/** One connection to one server, with the pools that may use the same server only. */
export interface Session {
  client: pg.Client
  /** When the server was started: the same address may lead to several servers, with different positions. */
  started: string
  db: Db
  lists: Db
  end(): void
}

interface SessionOptions {
  url: string
  primary: { db: Database; lists: Database }
  log: Log
  /** Called for each statement that the standby refused, and that the primary answers. */
  refused(): void
}

/** Connects to the standby, and opens its pools. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'cleartick standby',
    connectionTimeoutMillis: SILENT_MS,
    query_timeout: SILENT_MS,
    keepAlive: true,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ started: string }>(`select pg_postmaster_start_time()::text as started`)
    return { client, ...openPools(options, first(rows).started, client) }
  } catch (error) {
    void client.end().catch(() => undefined)
    throw error
  }
}

function openPools(
  { url, primary, log, refused }: SessionOptions,
  started: string,
  client: pg.Client,
): Omit<Session, 'client'> {
  const clients = new Set<pg.ClientBase>()
  const onConnect = async (fresh: pg.ClientBase) => {
    const { rows } = await fresh.query<{ same: boolean }>('select pg_postmaster_start_time()::text = $1 as same', [
      started,
    ])
    assert(first(rows).same, 'DATABASE_READ_URL leads to one server')
  }
  const [plain, lists] = [
    openDatabase(url, { max: CONNECTIONS, name: 'reads', log, onConnect }),
    openDatabase(url, { max: LIST_CONNECTIONS, name: 'lists', log, onConnect, reads: true }),
  ]
  for (const { pool } of [plain, lists]) {
    pool.on('connect', (fresh) => clients.add(fresh))
    pool.on('remove', (gone) => clients.delete(gone))
  }
  const fellBack = (error: unknown) => {
    refused()
    log.info({ error: String(error) }, 'the primary answers what the standby refused')
  }
  return {
    started,
    db: readingFrom(plain, primary.db, fellBack),
    lists: readingFrom(lists, primary.lists, fellBack),
    end() {
      // A client with a statement under way is cut off: it may wait for a server that hangs.
      for (const open of [client, ...(clients as Set<pg.Client>)]) void open.end().catch(() => undefined)
      for (const { close } of [plain, lists]) void close().catch(() => undefined)
    },
  }
}
