import { statfs } from 'node:fs/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { first } from '#kernel/must.ts'
import { SECOND_MS } from '#kernel/time.ts'
import { type Db, sql } from '../platform/database/db.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { cachedFor } from '../platform/process/cached-for.ts'

/** These change slowly, and looking at them costs little: a minute's age is enough. */
const LOOK_EVERY_MS = 60 * SECOND_MS
const CONNECT_WITHIN_MS = 1_500

/** Registers the room on the disk of this node's data. */
export function diskMetrics(metrics: Metrics, dataDir: string): void {
  metrics.gauge('cleartick_disk_free_ratio', 'Free share of the disk with DATA_DIR, from 0 to 1', async (set) => {
    const { bavail, blocks } = await statfs(dataDir)
    set(bavail / blocks)
  })
}

interface DatabaseServer {
  connections: number
  max: number
  archives: boolean
  failing: boolean
}

/** Registers the state of the database server: its connections, and whether its log is copied to the archive. */
export function databaseServerMetrics(metrics: Metrics, db: Db): void {
  const server = cachedFor(LOOK_EVERY_MS, () => readServer(db))
  metrics.gauge(
    'cleartick_database_server_connections',
    'Connections of all clients to the database server',
    async (set) => set((await server()).connections),
  )
  metrics.gauge('cleartick_database_server_connections_max', 'Most connections that the server takes', async (set) =>
    set((await server()).max),
  )
  metrics.gauge(
    'cleartick_wal_archive_failing',
    'Whether the last copy of a log file to the archive failed; absent without an archive',
    async (set) => {
      const { archives, failing } = await server()
      if (archives) set(failing ? 1 : 0)
    },
  )
}

async function readServer(db: Db): Promise<DatabaseServer> {
  // Without the rights of pg_monitor, other logins' connections show little more than their database.
  const { rows } = await sql<DatabaseServer>`
    select (select count(*)::int from pg_stat_activity where datid is not null) as connections,
      current_setting('max_connections')::int as max, current_setting('archive_mode') <> 'off' as archives,
      coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) as failing
    from pg_stat_archiver`.execute(db)
  return first(rows)
}

/** Registers when the certificate of the public address expires; absent where that address has none or can't be reached. */
export function certificateMetrics(metrics: Metrics, publicUrl: () => string): void {
  const expiry = cachedFor(LOOK_EVERY_MS, () => certificateExpiry(publicUrl()))
  metrics.gauge(
    'cleartick_certificate_expiry_timestamp_seconds',
    'When the certificate of PUBLIC_URL expires, as this node sees it',
    async (set) => {
      const at = await expiry()
      if (at !== undefined) set(at)
    },
  )
}

/** Returns the Unix time in seconds; undefined without TLS, or if nobody answers. */
export function certificateExpiry(url: string): Promise<number | undefined> {
  const { protocol, hostname, port } = new URL(url)
  // IPv6 addresses are in brackets.
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:') return Promise.resolve(undefined)
  return new Promise((resolve) => {
    // An expired or wrong certificate is what this is about, so it's read and not checked.
    const socket = connect({
      host,
      port: Number(port || 443),
      // Certificates are chosen by names, never by addresses.
      servername: isIP(host) ? '' : host,
      rejectUnauthorized: false,
    })
    const end = (expiry?: number) => {
      socket.destroy()
      resolve(expiry)
    }
    socket.setTimeout(CONNECT_WITHIN_MS, () => end())
    socket.on('error', () => end())
    socket.once('secureConnect', () => end(Date.parse(socket.getPeerCertificate().valid_to) / 1_000))
  })
}
