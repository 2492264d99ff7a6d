import { first } from '#kernel/must.ts'
import type { Bus } from '../../platform/bus/index.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import { hashOf } from '../passwords/secret.ts'
import { createSessionCache } from './session-cache.ts'
import { type EndReason, endSessions } from './session-store.ts'

/** What this room reports to other nodes after the commit. */
export interface IdentityTopics {
  'session-ended': { sessionIds: string[] }
  /** What is cached of these sessions isn't true any more. */
  'session-changed': { sessionIds: string[] }
}

export interface Sessions {
  /** Returns the user of an access token while it and its session are active. */
  authenticate(token: string): Promise<Who | undefined>
  /**
   * Ends a user's active sessions, except `except` if given, and returns how many. They stop working on this node as
   * soon as the transaction has committed.
   */
  end(tx: Tx, userId: bigint, reason: EndReason, which?: { only?: bigint; except?: bigint }): Promise<number>
  /** A guest has become a trader: forgets what is cached of their sessions, once the transaction has committed. */
  changed(tx: Tx, userId: bigint): Promise<void>
  /** Returns the users whose requests reached this node since the last call. */
  drainSeenUsers(): bigint[]
  stop(): Promise<void>
}

interface SessionsOptions {
  db: Db
  log: Log
  bus: Pick<Bus<IdentityTopics>, 'publish' | 'subscribe'>
  /**
   * Called with sessions that have ended: their sockets must close. Repeated for a while, so that a socket that was just
   * opening is closed too.
   */
  ended?(sessionIds: readonly bigint[]): void
  /** Whether a socket is open on this node. */
  hasSockets?(): boolean
  /** For tests: polling interval for ended sessions, in milliseconds. */
  readEveryMs?: number
  /** For tests: how long without a request or an open socket counts as idle, in milliseconds. */
  idleAfterMs?: number
  /** For tests: how far back each poll reaches. */
  windowSeconds?: number
  /** For tests: how often the sessions that were used are noted, in milliseconds. */
  noteSeenEveryMs?: number
}

const READ_EVERY_MS = 400
const TRUST_MS = 900
/**
 * How far back each poll reaches. Polls overlap, and reach back to the beginning of the oldest transaction that was
 * running at one of the two polls before, so that neither a slow commit nor a missed poll loses anything.
 */
const WINDOW_SECONDS = 30
const NOTE_SEEN_EVERY_MS = 15_000
const TIDY_EVERY_MS = 3_600_000
/** Without a request or an open socket for this long, nothing needs to be remembered, and so nothing to be polled. */
const IDLE_AFTER_MS = 30_000
const IDLE_PAUSE_MS = 10_000

/**
 * Caches active sessions in memory, so that requests need no database query. An ended session leaves the cache within
 * half a second, on whichever node it ended. When the database has been unreachable for 0.9 s, the cache is no longer
 * trusted.
 */
export function startSessions(options: SessionsOptions): Sessions {
  const { db, log, bus, windowSeconds = WINDOW_SECONDS, noteSeenEveryMs = NOTE_SEEN_EVERY_MS } = options
  const cache = createSessionCache()
  const seen = createSeen(db)
  const polls = createPolls(db, windowSeconds, dropSessions)
  const tidy = sessionTidier(db)
  let lastAsked = performance.now()
  let idle = false
  const pause = () => (idle ? IDLE_PAUSE_MS : (options.readEveryMs ?? READ_EVERY_MS))

  const loop = startLoop('sessions', pause, log, async () => {
    const began = performance.now()
    idle = began - lastAsked > (options.idleAfterMs ?? IDLE_AFTER_MS) && options.hasSockets?.() === false
    if (idle) {
      cache.clear()
      polls.forget()
    } else await polls.read(began)
    await seen.noteEvery(noteSeenEveryMs, began)
    await tidy(began)
  })

  async function authenticate(token: string): Promise<Who | undefined> {
    const hash = hashOf(token)
    const key = hash.toString('latin1')
    const now = performance.now()
    lastAsked = now
    if (idle) loop.wake()
    // Under load a poll may be late. One more query for all is cheap; one for each request would delay it even more.
    if (polls.areLate(now) && cache.has(key)) await polls.readNow(now)
    const known = polls.areTrusted(now) ? cache.get(key) : undefined
    if (known && known.until > now) {
      seen.saw(known)
      return known
    }
    const found = await findValidToken(db, hash)
    if (!found) return undefined
    seen.saw(found)
    // If the session ended while we queried, the next polls find it: they reach back 30 s.
    const { livesMs, ...who } = found
    cache.remember(key, { ...who, until: now + livesMs })
    return who
  }

  function dropSessions(sessionIds: readonly bigint[]): void {
    if (sessionIds.length === 0) return
    for (const sessionId of sessionIds) cache.forget(sessionId)
    options.ended?.(sessionIds)
  }

  // Other nodes find it by polling too; this is faster.
  bus.subscribe('session-ended', ({ sessionIds }) => dropSessions(sessionIds.map(BigInt)))

  bus.subscribe('session-changed', ({ sessionIds }) => {
    for (const sessionId of sessionIds) cache.forget(BigInt(sessionId))
  })

  return {
    authenticate,
    async changed(tx, userId) {
      const rows = await tx.selectFrom('sessions').select('id').where('user_id', '=', userId).execute()
      const sessionIds = rows.map(({ id }) => String(id))
      tx.afterCommit(() => bus.publish('session-changed', { sessionIds }))
    },
    async end(tx, userId, reason, which) {
      const ended = await endSessions(tx, userId, reason, which)
      if (ended.length > 0) tx.afterCommit(() => bus.publish('session-ended', { sessionIds: ended.map(String) }))
      return ended.length
    },
    drainSeenUsers: seen.drainUsers,
    stop: () => loop.stop(),
  }
}

/** The polls for ended sessions. While they fail, the cache is not trusted. */
function createPolls(db: Db, windowSeconds: number, dropped: (sessionIds: readonly bigint[]) => void) {
  let lastRead: number | undefined
  // When the oldest transaction began that was running at the last poll, and at the one before; null if none was.
  let running: [string | null, string | null] = [null, null]

  async function readEnded(began: number): Promise<void> {
    // After failed polls, the next one covers their time too.
    const missedMs = lastRead === undefined ? 0 : began - lastRead
    const { ended, oldest } = await readEndedSessions(db, windowSeconds + missedMs / 1_000, running)
    running = [oldest, running[0]]
    lastRead = began
    dropped(ended)
  }

  let polling: { began: number; done: Promise<void> } | undefined

  /** Reads the ended sessions now, once for all requests that wait for it. */
  function readEndedNow(now: number): Promise<void> {
    if (polling && now - polling.began < TRUST_MS) return polling.done
    const done = readEnded(now).catch((error: unknown) => {
      polling = undefined
      throw error
    })
    polling = { began: now, done }
    return done
  }

  return {
    read: readEnded,
    readNow: readEndedNow,
    areTrusted: (now: number) => lastRead !== undefined && now - lastRead < TRUST_MS,
    /** The last poll is too long ago. */
    areLate: (now: number) => lastRead !== undefined && now - lastRead >= TRUST_MS,
    forget(): void {
      lastRead = undefined
    },
  }
}

/** The sessions and users that were seen lately. */
function createSeen(db: Db) {
  let sessions = new Set<bigint>()
  let users = new Set<bigint>()
  let lastRecorded = performance.now()
  return {
    saw({ sessionId, userId }: Who): void {
      sessions.add(sessionId)
      users.add(userId)
    },
    /** Returns the users seen since the last call, and forgets them. */
    drainUsers(): bigint[] {
      const seen = [...users]
      users = new Set()
      return seen
    },
    /** Records when the sessions were seen, this often. */
    async noteEvery(ms: number, now: number): Promise<void> {
      if (now - lastRecorded <= ms) return
      lastRecorded = now
      const sessionIds = [...sessions]
      sessions = new Set()
      if (sessionIds.length) await noteLastSeen(db, sessionIds)
    },
  }
}

/** Returns the function that removes dead tokens now and then. */
function sessionTidier(db: Db): (now: number) => Promise<void> {
  let lastTidied = Number.NEGATIVE_INFINITY
  return async (now) => {
    if (now - lastTidied <= TIDY_EVERY_MS) return
    await removeDeadTokens(db)
    lastTidied = now
  }
}

async function findValidToken(db: Db, accessHash: Buffer): Promise<(Who & { livesMs: number }) | undefined> {
  const { rows } = await sql<{ user_id: bigint; session_id: bigint; is_guest: boolean; lives_ms: number }>`
    select s.user_id, s.id as session_id, u.guest_until is not null as is_guest,
      (extract(epoch from least(t.access_expires_at, s.expires_at) - clock_timestamp()) * 1000)::float8 as lives_ms
    from session_tokens t join sessions s on s.id = t.session_id join users u on u.id = s.user_id
    where t.access_hash = ${accessHash} and s.ended_at is null
      and t.access_expires_at > clock_timestamp() and s.expires_at > clock_timestamp()
  `.execute(db)
  const row = rows[0]
  return row && { userId: row.user_id, sessionId: row.session_id, isGuest: row.is_guest, livesMs: row.lives_ms }
}

/**
 * Returns the sessions that were ended or expired in the last `seconds`, or since one of these times, and when the oldest
 * running transaction of the product began. It's read after the snapshot, so what ends in between was running at the poll
 * before. The subqueries let an index find the times: `clock_timestamp()` itself may differ from row to row.
 */
async function readEndedSessions(
  db: Db,
  seconds: number,
  [last, before]: readonly [string | null, string | null],
): Promise<{ ended: bigint[]; oldest: string | null }> {
  const { rows } = await sql<{ ended: string[]; oldest: string | null }>`
    select array(
      select id from sessions
      where ended_at > (select least(clock_timestamp() - make_interval(secs => ${seconds}), ${last}::timestamptz, ${before}::timestamptz))
      union all
      select id from sessions where ended_at is null
        and expires_at <= (select clock_timestamp()) and expires_at > (select clock_timestamp()) - make_interval(secs => ${seconds})
    ) as ended, (
      select min(xact_start)::text from pg_stat_activity where usename = current_user and datname = current_database()
    ) as oldest`.execute(db)
  const { ended, oldest } = first(rows)
  return { ended: ended.map(BigInt), oldest }
}

const noteLastSeen = (db: Db, sessionIds: bigint[]) =>
  sql`update sessions set last_seen_at = clock_timestamp() where id = any(${sessionIds}::bigint[]) and ended_at is null`.execute(
    db,
  )

/** Deletes the sessions that ended longer ago than this: until then, they tell which sign-ins are new. */
export async function removeDeadSessions(db: Db, days: number): Promise<void> {
  const over = sql`(select clock_timestamp()) - make_interval(days => ${days})`
  await sql`
    delete from sessions where ended_at < ${over} or ended_at is null and expires_at < ${over}`.execute(db)
}

/** Deletes expired data that nobody can use or list. */
async function removeDeadTokens(db: Db): Promise<void> {
  await sql`delete from session_tokens t using sessions s
    where s.id = t.session_id and least(s.ended_at, s.expires_at) < clock_timestamp() - interval '1 day'`.execute(db)
  await sql`delete from one_time_tokens where expires_at < (select clock_timestamp()) - interval '7 days'`.execute(db)
  await sql`delete from passkey_challenges where expires_at < (select clock_timestamp())`.execute(db)
}
