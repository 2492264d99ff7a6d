import pg from 'pg'
import { first } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import type { Log } from '../process/log.ts'
import { startLoop } from '../process/loop.ts'
import type { Database, Db } from './db.ts'
import { openSession, type Session } from './standby-session.ts'

/** A standby that reads may go to. */
interface UsableStandby {
  /** For reads whose best plan depends on their values. */
  db: Db
  /** For lists that cache one plan for each statement (`DatabaseOptions.reads`). */
  lists: Db
  /** It has everything that was committed before this time (`performance.now()`). */
  covered: number
}

export interface Standby {
  /** Returns the standby, unless reads have to go to the primary now. */
  usable(): UsableStandby | undefined
  /** How far it's known to be behind, in milliseconds; undefined before the first answer, and while nobody reads. */
  behindMs(): number | undefined
  /** Why reads go to the primary; an empty text while the standby takes them, or while nobody reads. */
  problem(): string
  /** Statements that it refused, and that the primary answered. */
  refused(): number
  /** Someone reads: look at it often from now on. */
  wanted(): void
  stop(): Promise<void>
}

/** Further behind than this, it isn't used: an answer may be a moment old, not more. */
const BEHIND_MAX_MS = 2_000
const LOOK_EVERY_MS = 500
/** While it replays what was committed before the last look. */
const LOOK_AGAIN_MS = 25
const IDLE_AFTER_MS = 30_000
const IDLE_PAUSE_MS = 10_000

/** What the primary says about its log: everything that is acknowledged is before this position. */
const PRIMARY = `
  select (pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::text as position,
    ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline,
    (select system_identifier::text from pg_control_system()) as system`

const STANDBY = `
  select pg_is_in_recovery() as is_standby, (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text as position,
    greatest((select timeline_id from pg_control_checkpoint()),
      (select min_recovery_end_timeline from pg_control_recovery())) as timeline,
    (select system_identifier::text from pg_control_system()) as system,
    pg_postmaster_start_time()::text as started`

interface Position {
  position: string
  timeline: number
  system: string
}

/**
 * Watches a standby by its position in the primary's log. A look asks the primary for its position, and the standby how
 * far it has replayed: once that is past the position, the standby has everything that was committed before the look.
 * So a write needs no position for its commit.
 */
export function watchStandby(options: { url: string; primary: { db: Database; lists: Database }; log: Log }): Standby {
  const { primary, log } = options
  let session: Session | undefined
  const coverage = createCoverage()
  let lookedAt: number | undefined
  let problem = 'it was not reached yet'
  let refused = 0
  let wantedAt = performance.now()

  const isIdle = () => performance.now() - wantedAt > IDLE_AFTER_MS
  const loop = startLoop(
    'standby',
    () => (isIdle() ? IDLE_PAUSE_MS : coverage.isAwaiting() && problem === '' ? LOOK_AGAIN_MS : LOOK_EVERY_MS),
    log,
    look,
  )

  async function look(): Promise<void> {
    const at = performance.now()
    // Without a primary nobody can say how far behind the standby is.
    const sampled = await primary.db.pool.query<Position>(PRIMARY).then(
      ({ rows }) => first(rows),
      () => undefined,
    )
    if (!sampled) return
    try {
      session ??= await openSession({ ...options, refused: () => refused++ })
      const found = await positionOf(session)
      say(standbyProblem(found, sampled))
      if (problem !== '') return coverage.forget()
      coverage.looked(at, BigInt(sampled.position), BigInt(found.position))
      lookedAt = at
    } catch (error) {
      say(`it can't be reached (${(error as Error).message})`)
      session?.end()
      session = undefined
      coverage.forget()
    }
  }

  function say(found: string): void {
    if (found === problem) return
    if (found === '') log.info({}, 'reads go to the standby')
    else log.warn({ reason: found }, 'reads go to the primary')
    problem = found
  }

  return {
    usable() {
      const covered = coverage.until()
      if (!session || covered === undefined || performance.now() - covered > BEHIND_MAX_MS) return undefined
      return { db: session.db, lists: session.lists, covered }
    },
    behindMs() {
      const covered = coverage.until()
      return covered === undefined || isIdle() ? undefined : Math.max(0, performance.now() - covered)
    },
    problem() {
      const covered = coverage.until()
      if (problem !== '' || isIdle() || covered === undefined) return problem
      return lag(covered, lookedAt ?? covered)
    },
    refused: () => refused,
    wanted() {
      const wasIdle = isIdle()
      wantedAt = performance.now()
      if (wasIdle) loop.wake()
    },
    async stop() {
      await loop.stop()
      session?.end()
      session = undefined
    },
  }
}

async function positionOf({ client, started }: Session): Promise<Position & { is_standby: boolean }> {
  const { rows } = await client.query<Position & { is_standby: boolean; started: string }>(STANDBY)
  const found = first(rows)
  if (found.started !== started) throw new Error('it was started again')
  return found
}

/** Returns why a standby that follows its primary isn't used; an empty text if it may be. */
function lag(covered: Ms, lookedAt: Ms): string {
  const behind = performance.now() - covered
  // Between two looks nothing is known about it.
  const silent = performance.now() - lookedAt
  return behind > BEHIND_MAX_MS && silent < BEHIND_MAX_MS ? `it is ${(behind / 1000).toFixed(0)} s behind` : ''
}

/** Up to when the standby is known to have everything that was committed. */
function createCoverage() {
  let covered: number | undefined
  /** The look whose position the standby hasn't reached yet. */
  let awaited: { at: number; position: bigint } | undefined
  return {
    until: () => covered,
    isAwaiting: () => awaited !== undefined,
    /** At this time the primary was at one position, and a moment later the standby had replayed up to the other. */
    looked(at: number, position: bigint, replayed: bigint): void {
      if (awaited && replayed >= awaited.position) {
        covered = awaited.at
        awaited = undefined
      }
      if (replayed >= position) {
        covered = at
        awaited = undefined
      } else awaited ??= { at, position }
    },
    forget(): void {
      covered = undefined
      awaited = undefined
    },
  }
}

/** Returns what is wrong with a standby (an empty text if reads may go there), and how far it is behind. */
export async function examineStandby(url: string, primary: pg.Pool): Promise<{ wrong: string; bytes: number }> {
  const sampled = first((await primary.query<Position>(PRIMARY)).rows)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const found = first((await client.query<Position & { is_standby: boolean }>(STANDBY)).rows)
    const bytes = Number(BigInt(sampled.position) - BigInt(found.position ?? 0))
    return { wrong: standbyProblem(found, sampled), bytes: Math.max(0, bytes) }
  } catch (error) {
    return { wrong: `it can't be reached (${(error as Error).message})`, bytes: 0 }
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Returns why a server can't be read from as the standby of a primary; an empty text if it can. */
export function standbyProblem(found: Position & { is_standby: boolean }, sampled: Position): string {
  if (found.system !== sampled.system) return 'it is a copy of another database'
  if (!found.is_standby) return 'it is no standby'
  // After a failover its log may have branched off before what the new primary has written at the same positions.
  if (found.timeline !== sampled.timeline) return 'it does not follow the primary'
  return ''
}
