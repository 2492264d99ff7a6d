import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { FrameMessage, ServerMessage } from '#contract/messages/push.ts'
import { sql } from '#server/platform/database/db.ts'
import type { Product } from './world.ts'

const EVERY_MS = 250
const RECONNECT_MS = 250

/** A price that a client was shown. */
interface Shown {
  symbol: string
  price: string
  sourceMs: number
}

/** Watches the tape from both sides while the harness runs: in the database, and on a client's socket. */
export interface Observer {
  /** Frames as first seen in the database: number and hash. */
  frames: ReadonlyMap<number, string>
  /** Returns the prices that a client was shown since the last call. */
  takeShown(): Shown[]
  /** When the client received each frame, by `performance.now()`. */
  arrivals: readonly number[]
  /** Problems found, as text. */
  complaints: string[]
  stop(): Promise<void>
}

export function startObserver(world: Product): Observer {
  const frames = new Map<number, string>()
  const complaints: string[] = []
  let shown: Shown[] = []
  const arrivals: number[] = []
  let newest = 0
  let stopped = false
  const suspects = new Map<number, string>()

  async function look(): Promise<void> {
    const { db } = world.database
    const { rows } = await sql<{ n: bigint; hash: string }>`
      select n, encode(hash, 'hex') as hash from frames where n > ${newest} order by n`.execute(db)
    for (const { n, hash } of rows) frames.set(Number(n), hash)
    newest = Number(rows.at(-1)?.n ?? newest)
    // PostgreSQL grants the lock to one session. This finds sessions that write without it.
    const { rows: writers } = await sql<{ pid: number; holds: boolean; writes: boolean; at: Date | null }>`
      select a.pid, coalesce(bool_or(l.granted), false) as holds,
        a.query like '%update tape_head set number%' as writes, a.query_start as at
      from pg_stat_activity a
      left join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.objid = 7301
      where a.application_name like 'cleartick tape %' group by a.pid, a.query, a.query_start`.execute(db)
    if (writers.filter(({ holds }) => holds).length > 1) complaints.push('two sessions hold the lock of the tape')
    for (const { pid, holds, writes, at } of writers) {
      const when = String(at?.getTime())
      if (holds || !writes) suspects.delete(pid)
      else if (suspects.has(pid) && suspects.get(pid) !== when) {
        complaints.push(`session ${pid} writes the tape without its lock`)
        suspects.delete(pid)
      } else suspects.set(pid, when)
    }
  }

  function listen(): WebSocket {
    const socket = new WebSocket(`${world.origin.replace('http', 'ws')}/api/stream`)
    socket.on('error', () => undefined)
    socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', symbols: ['BTCUSDT', 'ETHUSDT'] })))
    socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ServerMessage
      if (message.op !== 'frame') return
      const { p } = message as FrameMessage
      arrivals.push(performance.now())
      for (const [symbol, price, sourceMs] of p) shown.push({ symbol, price, sourceMs })
    })
    return socket
  }

  const looking = (async () => {
    // The database may be down because of a fault, which other checks judge.
    for (; !stopped; await sleep(EVERY_MS)) await look().catch(() => undefined)
  })()
  const listening = (async () => {
    let socket = listen()
    for (; !stopped; await sleep(RECONNECT_MS)) if (socket.readyState === WebSocket.CLOSED) socket = listen()
    socket.terminate()
  })()

  return {
    frames,
    takeShown() {
      const taken = shown
      shown = []
      return taken
    },
    arrivals,
    complaints,
    async stop() {
      stopped = true
      await Promise.all([looking, listening])
    },
  }
}
