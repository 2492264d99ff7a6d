import { HOUR_MS, MINUTE_MS } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import { type CheckpointRow, digestOf } from '../checkpoints/checkpoint-row.ts'
import { requestTimeStamp } from './time-stamp.ts'

const EVERY_MS = HOUR_MS
/** How long a failed request is not repeated. */
const AGAIN_MS = 5 * MINUTE_MS

interface TimestampsDeps {
  db: Db
  log: Log
  /** The authority's address. */
  url: string
  /** Whether this node writes the tape. */
  leads(): boolean
}

/** Has the newest checkpoint time-stamped once an hour, on the engine that writes the tape. */
export function startTimestamps({ db, log, url, leads }: TimestampsDeps): { stop(): Promise<void> } {
  let nextAt = Number.NEGATIVE_INFINITY
  return startLoop('time stamps', MINUTE_MS, log, async () => {
    if (!leads() || performance.now() < nextAt) return
    try {
      nextAt = performance.now() + ((await stampNewest(db, url)) ? EVERY_MS : MINUTE_MS)
    } catch (error) {
      nextAt = performance.now() + AGAIN_MS
      log.warn({ reason: String(error) }, 'a checkpoint was not time-stamped')
    }
  })
}

/** Has the newest checkpoint time-stamped, unless it is already. Returns whether a time stamp was stored. */
export async function stampNewest(db: Db, url: string): Promise<boolean> {
  const { rows } = await sql<CheckpointRow>`
    select c.* from checkpoints c where frame = (select max(frame) from checkpoints)
      and not exists (select from checkpoint_timestamps s where s.frame = c.frame)`.execute(db)
  const row = rows[0]
  if (!row) return false
  const { at, response } = await requestTimeStamp(url, digestOf(row))
  await sql`
    insert into checkpoint_timestamps (frame, authority, at, response)
    values (${row.frame}, ${new URL(url).host}, ${at}, ${response}) on conflict do nothing`.execute(db)
  return true
}

/** The newest checkpoint as one line, to be published where nobody can change it later. Undefined before the first. */
export async function newestLine(db: Db): Promise<string | undefined> {
  const { rows } = await sql<CheckpointRow>`select * from checkpoints order by frame desc limit 1`.execute(db)
  const row = rows[0]
  if (!row) return undefined
  const time = new Date(Number(row.t)).toISOString()
  return `Cleartick checkpoint: frame ${row.frame}, ${time}, sha256 ${digestOf(row).toString('hex')}`
}
