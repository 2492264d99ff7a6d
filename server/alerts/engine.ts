import { setImmediate as breathe } from 'node:timers/promises'
import { MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import type { FrameEvent, Instrument } from '../prices/index.ts'
import type { AlertsDeps } from './deps.ts'
import { writeFires } from './fire.ts'
import { createJudge, type Judge } from './judge.ts'
import {
  type AlertRow,
  armedAlerts,
  changedAlerts,
  judgedUntil,
  markUnchecked,
  recordJudged,
  toArmed,
} from './store.ts'
import type { ArmedAlert, Fire } from './terms.ts'

/** Hints wake the loop; this often it looks without one. */
const LOOK_MS = SECOND_MS
/** While no alert is armed. */
const IDLE_LOOK_MS = 5 * SECOND_MS
/** How often all alerts are read again: what was deleted leaves the memory. */
const RELOAD_MS = 10 * MINUTE_MS
/** How often is recorded up to where the tape was judged. */
const RECORD_MS = 30 * SECOND_MS
/** An alert is read this long after it was armed at the latest, and no tick is this much older than its frame. */
const MARGIN_MS = 2 * MINUTE_MS
/** Alerts that fire in one transaction. */
const AT_ONCE = 500

export interface AlertsEngine {
  frame(event: FrameEvent): void
  /** Runs one round now (for tests; the loop does the same). */
  round(): Promise<void>
  wake(): void
  /** An alert was deleted. */
  forget(id: bigint): void
  stop(): Promise<void>
}

/**
 * Judges all alerts on the frames of the tape, in memory, and writes those that fire. Any number of engines may do so at
 * the same time: the database lets each alert fire once.
 */
export function startAlertsEngine(deps: AlertsDeps, { byHand = false } = {}): AlertsEngine {
  const { db, tape, log } = deps
  const fires: Fire[] = []
  const fired = (fire: Fire) => void fires.push(fire)
  let judge: Judge | undefined
  /** The judge that is being loaded. */
  let next: Judge | undefined
  let xmin = '0'
  let frame = 0
  /** The time of the newest frame up to which all were judged. */
  let judged: Ms | undefined
  /** Up to where what fired is written, too. */
  let written: Ms | undefined
  let mustReload = true
  let reloadAt = 0
  let recordAt = 0

  const pause = () => (judge && judge.size() > 0 ? LOOK_MS : IDLE_LOOK_MS)
  const loop: Loop | undefined = byHand ? undefined : startLoop('alerts', pause, log, round)

  async function round(): Promise<void> {
    try {
      if (mustReload || performance.now() > reloadAt) await reload()
      else await readChanges()
    } catch (error) {
      // A failover may have lost what was read.
      mustReload = true
      throw error
    }
    const until = judged
    await writeAll()
    if (until === undefined) return
    written = until
    if (performance.now() < recordAt || judge?.size() === 0) return
    recordAt = performance.now() + RECORD_MS
    await recordJudged(db, until)
  }

  async function reload(): Promise<void> {
    mustReload = false
    // They are judged again: a failover may have lost the frames that fired them.
    fires.length = 0
    const { n, t } = tape.head()
    const since = Math.max(0, (written ?? (await judgedUntil(db))) - MARGIN_MS)
    const read = await armedAlerts(db)
    next = createJudge(tape, fired)
    frame = Math.max(frame, n)
    for (const [instrument, alerts] of bySymbol(read.rows)) {
      await noteUnchecked(instrument, alerts, since)
      next.load(instrument, alerts, since)
      await breathe()
    }
    judge = next
    next = undefined
    xmin = read.xmin
    judged = Math.max(judged ?? 0, t)
    reloadAt = performance.now() + RELOAD_MS
  }

  /** The tape in memory may begin later than the time up to which was judged. */
  async function noteUnchecked({ id, symbol }: Instrument, alerts: readonly ArmedAlert[], since: Ms): Promise<void> {
    const from = tape.ticksFrom(symbol)
    if (!Number.isFinite(from) || since >= from || !alerts.some(({ baseMs }) => baseMs < from)) return
    log.warn({ symbol, from: since, until: from }, 'prices were not checked for alerts')
    await markUnchecked(db, id, since, from)
  }

  async function readChanges(): Promise<void> {
    const read = await changedAlerts(db, xmin)
    for (const [instrument, alerts] of bySymbol(read.rows)) {
      const unknown = alerts.filter((alert) => !judge?.knows(alert))
      if (unknown.length > 0) judge?.add(instrument, unknown)
    }
    xmin = read.xmin
  }

  function bySymbol(rows: readonly AlertRow[]): Map<Instrument, ArmedAlert[]> {
    const groups = new Map<Instrument, ArmedAlert[]>()
    for (const row of rows) {
      const instrument = deps.instruments.byId(row.symbol_id)
      const alert = toArmed(deps.instruments, row)
      if (!instrument || !alert) continue
      const group = groups.get(instrument)
      if (group) group.push(alert)
      else groups.set(instrument, [alert])
    }
    return groups
  }

  async function writeAll(): Promise<void> {
    while (fires.length > 0) {
      const some = fires.slice(0, AT_ONCE)
      await writeFires(deps, some)
      fires.splice(0, some.length)
    }
  }

  return {
    round,
    frame({ n, t, entries }) {
      if (frame > 0 && n > frame + 1) mustReload = true
      if (n <= frame) return
      frame = n
      judge?.frame(entries)
      next?.frame(entries)
      if (mustReload) loop?.wake()
      else if (judge) judged = t
      if (fires.length > 0) loop?.wake()
    },
    wake: () => loop?.wake(),
    forget(id) {
      judge?.remove(id)
      next?.remove(id)
    },
    async stop() {
      await loop?.stop()
    },
  }
}
