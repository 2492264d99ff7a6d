import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { assert } from '#kernel/assert.ts'
import { sqlState } from '#server/platform/database/db.ts'
import { connectTo } from '#server/platform/database/primary.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'

/** What PostgreSQL reports about a base backup once it is complete. */
interface BaseBackup {
  startLsn: string
  endLsn: string
  timeline: number
}

export interface ReplicationClient {
  /** Runs one plain statement. */
  rows<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
  /**
   * Streams a base backup: one tar archive with the WAL that it needs, then PostgreSQL's own manifest. With `since`
   * (the manifest of an earlier backup), blocks that haven't changed since then are left out.
   */
  baseBackup(options: BaseBackupOptions): Promise<BaseBackup>
  close(): Promise<void>
}

interface BaseBackupOptions {
  label: string
  since?: Buffer | undefined
  /** Limits the speed, so that trading isn't slowed down. */
  maxKibibytesPerSecond?: number | undefined
  archive(bytes: Buffer): Promise<void>
  manifest(bytes: Buffer): Promise<void>
}

/**
 * Connects as `pg_basebackup` does, because the built-in PostgreSQL has no such tool, and the operator's PostgreSQL may
 * be on another machine. The login needs REPLICATION, or to be a superuser.
 */
export async function connectForBackup(url: string): Promise<ReplicationClient> {
  const settings: pg.ClientConfig & { replication: string } = {
    application_name: 'cleartick backup',
    connectionTimeoutMillis: 10_000,
    // Plain statements and replication commands on one connection.
    replication: 'database',
  }
  const client = connectTo(url, settings)
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    if (sqlState(error) !== '42501') throw error
    throw new StartProblem(
      'The login of the database may not make backups. Give it REPLICATION (alter role … replication), or set BACKUP_DATABASE_URL to a login that has it.',
    )
  }
  return {
    rows: async (text) => (await client.query(text)).rows,
    async baseBackup({ label, since, maxKibibytesPerSecond, archive, manifest }) {
      // The slot keeps the WAL of the backup, however long it takes; it vanishes with this connection.
      await client.query(
        `CREATE_REPLICATION_SLOT cleartick_${randomBytes(8).toString('hex')} TEMPORARY PHYSICAL (RESERVE_WAL)`,
      )
      if (since) await uploadManifest(client, since)
      const options = [
        `LABEL '${label}'`,
        `CHECKPOINT 'fast'`,
        'WAL true',
        'WAIT false',
        `MANIFEST 'yes'`,
        `MANIFEST_CHECKSUMS 'SHA256'`,
        ...(since ? ['INCREMENTAL'] : []),
        ...(maxKibibytesPerSecond === undefined ? [] : [`MAX_RATE ${maxKibibytesPerSecond}`]),
      ]
      const { messages, rows } = runCopy(client, `BASE_BACKUP (${options.join(', ')})`)
      let into = archive
      for await (const message of messages) {
        const kind = String.fromCharCode(message[0]!)
        if (kind === 'm') into = manifest
        else if (kind === 'd') await into(message.subarray(1))
      }
      // Three results: where it starts, one row for each tablespace, where it ends.
      const [start, end] = [rows.at(0), rows.at(-1)]
      assert(rows.length === 3 && start?.[0] && end?.[0], 'PostgreSQL did not finish the backup')
      return { startLsn: start[0], endLsn: end[0], timeline: Number(end[1]) }
    },
    close: () => client.end(),
  }
}

/** The driver's view of a statement under way; it hands these messages of the connection to it. */
interface Command extends pg.Submittable {
  handleRowDescription(): void
  handleDataRow(message: { fields: (Buffer | string | null)[] }): void
  handleCommandComplete(): void
  handleError(error: Error): void
  handleReadyForQuery(): void
  handleCopyInResponse(connection: CopyConnection): void
  handleCopyData(message: { chunk: Buffer }, connection: CopyConnection): void
}

/** The driver has these, its types don't. */
interface CopyConnection extends pg.Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

function command(text: string, given: Partial<Command> & { end(error?: Error): void }): Command {
  return {
    submit: (connection) => connection.query(text),
    handleRowDescription: () => undefined,
    handleDataRow: () => undefined,
    handleCommandComplete: () => undefined,
    handleError: (error) => given.end(error),
    handleReadyForQuery: () => given.end(),
    handleCopyInResponse: () => undefined,
    handleCopyData: () => undefined,
    ...given,
  }
}

const UPLOAD_CHUNK = 64 * 1024

/** Sends the manifest of an earlier backup: the next backup on this connection may then be incremental. */
function uploadManifest(client: pg.Client, manifest: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query(
      command('UPLOAD_MANIFEST', {
        handleCopyInResponse(connection) {
          for (let at = 0; at < manifest.length; at += UPLOAD_CHUNK)
            connection.sendCopyFromChunk(manifest.subarray(at, at + UPLOAD_CHUNK))
          connection.endCopyFrom()
        },
        end: (error) => (error ? reject(error) : resolve()),
      }),
    )
  })
}

interface Stream {
  /** The copied messages; the connection pauses while nobody reads. Fails if the backup does. */
  messages: AsyncIterable<Buffer>
  /** The rows of all results. */
  rows: (string | null)[][]
}

function runCopy(client: pg.Client, text: string): Stream {
  const rows: Stream['rows'] = []
  let connection: CopyConnection | undefined
  const messages = new Readable({ objectMode: true, highWaterMark: 64, read: () => connection?.stream.resume() })
  client.query(
    command(text, {
      handleDataRow: ({ fields }) => rows.push(fields.map((field) => (field === null ? null : String(field)))),
      handleCopyData({ chunk }, from) {
        connection = from
        // The driver re-uses the buffer of a message.
        if (!messages.push(Buffer.from(chunk))) from.stream.pause()
      },
      end(error) {
        // Nobody asks for more once all has arrived: the next statement's reply would wait for ever.
        connection?.stream.resume()
        if (error) messages.destroy(error)
        else messages.push(null)
      },
    }),
  )
  return { messages, rows }
}
