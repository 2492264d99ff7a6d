import { hostname } from 'node:os'
import type pg from 'pg'
import type { Ms } from '#kernel/time.ts'
import { sqlState } from '../../platform/database/db.ts'
import { connectTo } from '../../platform/database/primary.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Feed, kindOf } from '../feeds/feed.ts'
import type { Instruments } from '../instruments/instruments.ts'
import { beginEpoch } from './epoch.ts'
import { decodeBody, type Entry, encodeBody, type Frame, type FrameOrders, frameHash } from './frame.ts'
import { createGate, type Gate } from './gate.ts'
import { loadMemory } from './load.ts'
import type { Memory } from './memory.ts'
import { appendStatement, type BoundOrders, readFramesAfter, readHead } from './store.ts'

/** Held by the one node that writes the tape; PostgreSQL releases it when that node's connection ends. */
export const LEADER_LOCK = 7_301
/**
 * A leader that hasn't written for this long, though its connection lives, is cut off by the node that wants to take over:
 * it hangs, its machine was paused, or the network between us is gone. If it wakes, it has no lock and only follows. A
 * frame is due every second at the latest, and with this the other node leads within 2 s.
 */
const LEADER_SILENT_MS = 1_500
const FRAME_EVERY_MS = 250
/** While nobody watches and no trade is open. */
const QUIET_FRAME_EVERY_MS = 1_000
/** A frame is written this often even when nothing is new: at a frame's pace, at least once a second. */
const SILENCE_MS = 750
/** How soon the leader checks again after finding nothing to write. */
const LOOK_EVERY_MS = 50
/** How soon a follower reads without being woken, and tries to take the lead. */
const FOLLOW_EVERY_MS = 1_000
/** The same for a node that never leads, while there is one frame a second. */
const FOLLOW_QUIET_EVERY_MS = 2_100
const CATCH_UP_AT_ONCE = 500
const ORDERS_AGAIN_MS = 5_000

/** One node's part in the tape: it leads if it gets the lock, and follows otherwise. */
export interface Leader {
  /**
   * Runs one round: lead or follow. Throws if the database is unreachable; the next round resumes where this one
   * stopped. `paced`: waits until a frame is due.
   */
  step(paced?: boolean): Promise<void>
  leads(): boolean
  /** The tape may have new frames of another node, or a frame is due sooner: look now. */
  wake(): void
  gate: Gate
  stop(): Promise<void>
}

/** Where the leader finds the orders that its next frame binds. */
export interface OrdersToBind {
  /** Returns accepted orders that no frame binds yet; undefined if none are known. */
  next(): BoundOrders | undefined
  /** The frame with these orders is on the tape, or it certainly isn't with this attempt: they are looked up again. */
  ended(orders: BoundOrders): void
}

interface Unanswered {
  frame: Frame
  entries: Entry[]
  orders: BoundOrders | undefined
  statement: pg.QueryConfig
}

export function createLeader(deps: {
  url: string
  instruments: Instruments
  memory: Memory
  /** This node's feed. Without one it never leads. */
  feed: Feed | undefined
  /** Reads the instruments again: another node has one that this node doesn't know, or one was withdrawn. */
  reloadInstruments(): Promise<void>
  clock: Clock
  log: Log
  /** The operator declares that this database is a copy: the tape continues in a new epoch. */
  newEpoch?: boolean
  /** Whether a frame a second is enough. */
  isQuiet?: (() => boolean) | undefined
  orders?(): OrdersToBind | undefined
  /**
   * Called for each frame after its commit and after memory has it, in order. `periodBegan`: with it, a symbol's kind of
   * source began or changed.
   */
  shown(frame: Pick<Frame, 'n' | 't' | 'hash'>, entries: readonly Entry[], periodBegan: boolean): void
}): Leader {
  const { instruments, memory, feed, clock, log } = deps
  const gate = createGate(instruments, memory.newest)
  let client: pg.Client | undefined
  // The connection that has the lock. One that broke meanwhile is no longer `client`, and leads no more.
  let leading: pg.Client | undefined
  const leads = () => leading !== undefined && leading === client
  // Sent, but not known to be written.
  let unanswered: Unanswered | undefined
  // After the database rejected orders, frames leave them out for a while: prices must not stop because of them.
  let ordersFrom = Number.NEGATIVE_INFINITY
  let foundNothing = false
  let newEpoch = deps.newEpoch ?? false
  let behind: { n: number; since: number } | undefined
  // The newest frame that this node has, and since when by the monotonic clock.
  let newest = { n: -1, t: 0, since: 0 }
  // Tape time between the newest frames.
  let paceMs = 0
  // The first round doesn't wait: it may take the lead.
  let followed = false
  const stopped = new AbortController()

  async function connection(): Promise<pg.Client> {
    if (client) return client
    const fresh = connectTo(deps.url, {
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
  }

  /** Without the connection there is no lock. */
  function drop(broken: pg.Client): void {
    if (client !== broken) return
    if (leads()) log.warn({}, 'the connection that writes the tape broke')
    client = undefined
    void broken.end().catch(() => undefined)
  }

  async function step(paced = false): Promise<void> {
    if (paced) await untilDue()
    if (stopped.signal.aborted) return
    followed = true
    const before = memory.head().n
    const connected = await connection()
    try {
      if (!leads()) await takeLead(connected)
      if (leads()) await lead(connected)
      else {
        await catchUp(connected)
        if (feed && silentMs() >= LEADER_SILENT_MS) await cutOffLeader(connected)
      }
      foundNothing = memory.head().n === before
    } catch (error) {
      // PostgreSQL itself rejected the rows: they are not written, and would be rejected again.
      if (/^(22|23|42)/.test(sqlState(error) ?? '')) {
        if (unanswered?.orders) ordersFrom = performance.now() + ORDERS_AGAIN_MS
        forget()
        // It may have a price of an instrument that was withdrawn a moment ago.
        await deps.reloadInstruments().catch(() => undefined)
      }
      // Otherwise both the lock and the outcome of what was sent are in doubt: query both again.
      drop(connected)
      throw error
    }
  }

  /**
   * Returns the time of the next frame. If the database's clock is behind the tape (it was set back, and we were
   * restarted), the tape continues from its own end at the pace of the monotonic clock.
   */
  function tapeNow(): Ms {
    const { n, t } = memory.head()
    const now = clock.now()
    if (now >= t) return now
    if (behind?.n !== n) behind = { n, since: performance.now() }
    return t + Math.floor(performance.now() - behind.since)
  }

  /** How long this node has waited for a frame, whatever the machine's clock says. */
  function silentMs(): number {
    const { n, t } = memory.head()
    if (newest.n !== n) {
      paceMs = (t - newest.t) / (n - newest.n)
      newest = { n, t, since: performance.now() }
    }
    return performance.now() - newest.since
  }

  let woken = false
  let endWait: () => void = () => undefined

  function wake(): void {
    woken = true
    endWait()
  }

  /**
   * Waits for the leader's message that there is a frame. A node that could lead waits only until the leader is silent.
   */
  async function untilWoken(): Promise<void> {
    if (!woken) {
      const left = LEADER_SILENT_MS - silentMs()
      if (feed) await rest(Math.min(FOLLOW_EVERY_MS, Math.max(LOOK_EVERY_MS, left)))
      // The message of the next frame arrives slightly more than a second after the last one. A moved timer wakes this
      // process all the same, so it isn't set to much sooner than two.
      else await rest(paceMs < QUIET_FRAME_EVERY_MS ? FOLLOW_EVERY_MS : FOLLOW_QUIET_EVERY_MS)
    }
    woken = false
  }

  /** Ends early when this node is woken or stops. */
  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => endWait(), ms)
      endWait = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  const frameEvery = () => (deps.isQuiet?.() ? QUIET_FRAME_EVERY_MS : FRAME_EVERY_MS)

  async function untilDue(): Promise<void> {
    if (!leads() && followed) return untilWoken()
    const wait = Math.max(memory.head().t + frameEvery() - tapeNow(), foundNothing ? LOOK_EVERY_MS : 0)
    if (wait > 0 && !woken) await rest(wait)
    woken = false
  }

  async function takeLead(connected: pg.Client): Promise<void> {
    if (!feed) return
    const { rows } = await connected.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [
      LEADER_LOCK,
    ])
    if (!rows[0]!.locked) {
      // The current leader decides; a frame that this node had sent was either written, and comes back as a frame, or
      // is lost.
      forget()
      return
    }
    if (unanswered) await resolve(connected, unanswered)
    await catchUp(connected)
    const { n, hash } = await readHead(connected)
    if (n !== memory.head().n || !hash.equals(memory.head().hash))
      await reload(connected, 'this node has frames that the database lost in a failover')
    const epoch = await beginEpoch(connected, newEpoch)
    newEpoch = false
    if (epoch !== undefined && epoch > 1) log.warn({ epoch, after: memory.head().n }, 'the tape begins a new epoch')
    gate.clear()
    leading = connected
    log.info({ n: memory.head().n }, 'this node now writes the tape')
  }

  /**
   * Ends the leader's session, unless it's PostgreSQL that waits, for a synchronous standby: no other node could write
   * either, and ending that wait would show everyone a frame that a failover loses.
   */
  async function cutOffLeader(connected: pg.Client): Promise<void> {
    const silent = Math.round(silentMs())
    try {
      const { rowCount } = await connected.query(
        `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
         where locktype = 'advisory' and classid = 0 and objid = $1 and objsubid = 1 and granted
           and database = (select oid from pg_database where datname = current_database())
           and wait_event is distinct from 'SyncRep'`,
        [LEADER_LOCK],
      )
      if (rowCount) log.warn({ silentMs: silent }, 'the leader is silent: taking over the tape')
    } catch (error) {
      if (sqlState(error) !== '42501') throw error
      throw new Error(
        'The leader is silent, and only its own login may end its session: give all nodes the same login.',
      )
    }
  }

  /**
   * After a lost reply, the head shows whether the frame was written. If it wasn't and nobody else wrote, send it
   * again.
   */
  async function resolve(connected: pg.Client, sent: Unanswered): Promise<void> {
    const head = await readHead(connected)
    if (head.n === sent.frame.n && head.hash.equals(sent.frame.hash)) show(sent.frame, sent.entries)
    else if (head.n === sent.frame.n - 1 && head.hash.equals(sent.frame.prev)) {
      const { rowCount } = await connected.query(sent.statement)
      if (rowCount === 1) show(sent.frame, sent.entries)
    }
    forget()
  }

  /** What was sent is on the tape, or never will be. */
  function forget(): void {
    const orders = unanswered?.orders
    unanswered = undefined
    if (orders) deps.orders?.()?.ended(orders)
  }

  async function lead(connected: pg.Client): Promise<void> {
    const made = feed && nextFrame(feed)
    if (!made) return
    unanswered = made
    const sentAt = performance.now()
    const { rowCount, rows } = await connected.query<{ now: number }>(made.statement)
    forget()
    if (rowCount === 1) {
      clock.takeReading?.(rows[0]!.now, sentAt)
      return show(made.frame, made.entries)
    }
    log.error({ n: made.frame.n }, 'the tape moved on without this node: stepping down')
    await connected.query('select pg_advisory_unlock($1)', [LEADER_LOCK])
    leading = undefined
    await catchUp(connected)
  }

  function nextFrame(source: Feed): Unanswered | undefined {
    const head = memory.head()
    const now = tapeNow()
    if (now < head.t + frameEvery()) return undefined
    gate.at(now)
    source.collect(now, gate)
    const kind = kindOf(source.kind)
    const entries = gate.candidates().map(({ slot, units, sourceMs }): Entry => {
      const { symbol, scale } = instruments.list[slot]!
      return { symbol, kind, scale, seq: memory.newest.seq[slot]! + 1, sourceMs, units }
    })
    const orders = performance.now() < ordersFrom ? undefined : deps.orders?.()?.next()
    if (entries.length === 0 && !orders && now < head.t + SILENCE_MS) return undefined
    const frame = makeFrame(head, now, entries, orders && { count: orders.tradeIds.length, root: orders.root })
    return { frame, entries, orders, statement: appendStatement(instruments, frame, entries, orders) }
  }

  function show(frame: Pick<Frame, 'n' | 't' | 'hash'>, entries: readonly Entry[]): void {
    deps.shown(frame, entries, memory.apply(frame, entries))
  }

  /** Reads the frames that other nodes have written. */
  async function catchUp(connected: pg.Client): Promise<void> {
    for (;;) {
      const { n } = memory.head()
      const sentAt = performance.now()
      const frames = await readFramesAfter(connected, n, CATCH_UP_AT_ONCE)
      if (frames[0]) clock.takeReading?.(frames[0].now, sentAt)
      for (const { body, now: _, ...frame } of frames) {
        const head = memory.head()
        if (frame.n !== head.n + 1) {
          await reload(connected, 'this node was away too long')
          break
        }
        if (!frameHash(head.hash, frame.n, frame.t, body).equals(frame.hash)) {
          await reload(connected, `frame ${frame.n} does not follow from the frame before it`)
          break
        }
        const entries = decodeBody(frame.t, body)
        if (entries.some(({ symbol }) => instruments.slotOf(symbol) === undefined)) await deps.reloadInstruments()
        show(frame, entries)
      }
      if (frames.length < CATCH_UP_AT_ONCE) return
    }
  }

  /** The database is right: a standby that was promoted may lack what its primary had not sent to it yet. */
  async function reload(connected: pg.Client, why: string): Promise<void> {
    log.warn({ have: memory.head().n, why }, 'reading the tape again')
    await loadMemory(connected, instruments, memory)
  }

  return {
    step,
    leads,
    wake,
    gate,
    async stop() {
      stopped.abort()
      endWait()
      const last = client
      client = undefined
      await last?.end().catch(() => undefined)
    },
  }
}

/** Builds the frame that follows `head` with these entries. */
export function makeFrame(
  head: { n: number; hash: Buffer },
  t: Ms,
  entries: readonly Entry[],
  orders?: FrameOrders,
): Frame {
  const n = head.n + 1
  const body = encodeBody(t, entries, orders)
  return { n, t, prev: head.hash, hash: frameHash(head.hash, n, t, body), body }
}
