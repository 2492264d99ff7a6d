import { setTimeout as sleep } from 'node:timers/promises'
import type { Usd } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { grantPlayCapital, houseResult } from '../ledger/index.ts'
import type { Bus } from '../platform/bus/index.ts'
import { type Db, inSnapshot, type Snapshot, sql } from '../platform/database/db.ts'
import type { Log } from '../platform/process/log.ts'
import { type Loop, startLoop } from '../platform/process/loop.ts'
import { allot } from './allot.ts'
import { COARSEST, type CountedPrices, countBook } from './count-book.ts'
import { type Bounds, figuresOf, type RiskFigures, readBounds } from './figures.ts'
import type { RiskTopics } from './lanes.ts'
import { worstLoss } from './worst-loss.ts'

const EVERY_MS = 1_000
/** Rounds without open trades, and without a wish for room. */
const IDLE_MS = 10_000
/** Rounds that lanes ask for don't follow each other faster. */
const APART_MS = 100
/** Of the time that it takes, a round uses at most this part. */
const SHARE_OF_TIME = 20
/** Reading the house's result takes as long as there are accounts. */
const RESULT_FOR_MS = 60_000
/** A lane that nobody has used for this long is gone. */
const LANE_GONE_MS = 120_000
const GROUPS_MANY = 4_000
const GROUPS_FEW = 400
/** Lanes learn how much room is left when it's below this part of the bound. */
const SMALL_PART = 10n

interface RiskDeps extends CountedPrices {
  db: Db
  log: Log
  bus: Bus<RiskTopics>
  production: boolean
  leads(): boolean
  /** Whether a trade may be open; undefined: unknown. */
  mayHaveOpenTrades(): boolean | undefined
}

interface RoomRow {
  lane: number
  room: number
  open: bigint
  wanted: bigint
  room_left: bigint | null
}

interface Change {
  lane: number
  room: number
  change: bigint
  /** What the lane wanted when it was read. */
  wanted: bigint
  left: bigint | null
}

/** Counts the open book about every second, on the engine that writes the tape, and grants the lanes their room. */
export function startRisk(deps: RiskDeps): Loop {
  const { db, log, bus } = deps
  const memory = newMemory()
  let hasCapital = deps.production
  let logged: Memory['capital'] = 'there'
  let idleUntil = 0
  let wished = true
  let endedAt = 0
  let tookMs = 0
  const loop = startLoop(
    'house risk',
    () => Math.max(EVERY_MS, SHARE_OF_TIME * tookMs),
    log,
    async () => {
      if (!deps.leads()) {
        memory.shown = ''
        return
      }
      if (!wished && deps.mayHaveOpenTrades() === false && performance.now() < idleUntil) return
      const apart = endedAt + Math.max(APART_MS, 4 * tookMs) - performance.now()
      if (apart > 0) await sleep(apart)
      wished = false
      if (!hasCapital) {
        await grantPlayCapital(db)
        hasCapital = true
      }
      const began = performance.now()
      const isUnmet = await grantRooms(deps, memory)
      endedAt = performance.now()
      tookMs = endedAt - began
      idleUntil = endedAt + IDLE_MS
      if (memory.capital !== logged) {
        logged = memory.capital
        if (logged !== 'there') log.warn({ realTrades: logged }, 'the house has no capital: pay it in at the desk')
      }
      // What one lane has given is granted to another now.
      if (isUnmet) {
        wished = true
        loop.wake()
      }
    },
  )
  bus.subscribe('room-wanted', () => {
    wished = true
    loop.wake()
  })
  return loop
}

interface Memory {
  grain: number
  /** What was written last. */
  shown: string
  result: { at: number; usd: Usd } | undefined
  /** Without capital, real trades are accepted for a while after an upgrade, or rejected. */
  capital: 'there' | 'accepted for now' | 'rejected'
}

/** Returns what a round remembers for the next one. */
export const newMemory = (): Memory => ({ grain: 0, shown: '', result: undefined, capital: 'there' })

/** Counts, and grants. Returns whether a lane still wants what another one has given. */
export async function grantRooms(
  deps: Omit<RiskDeps, 'log' | 'bus' | 'leads' | 'mayHaveOpenTrades'>,
  memory: Memory,
): Promise<boolean> {
  const { round, rows, figures, isClosed } = await inSnapshot(deps.db, (snapshot) => count(snapshot, deps, memory))
  const { changes, isUnmet } = changesOf(rows, figures, isClosed)
  const shown = JSON.stringify(figures)
  if (changes.length === 0 && shown === memory.shown) return false
  const isWritten = await write(deps.db, round, shown, changes)
  memory.shown = isWritten ? shown : ''
  return isUnmet || !isWritten
}

async function count(snapshot: Snapshot, deps: Parameters<typeof grantRooms>[0], memory: Memory) {
  const { rows: heads } = await sql<{ round: bigint }>`select round from risk_count`.execute(snapshot)
  const { rows } = await sql<RoomRow>`
    select lane, room, (granted - used)::bigint as open, wanted, room_left from risk_rooms order by room, lane`.execute(
    snapshot,
  )
  const { book, prices } = await countBook(snapshot, deps, memory.grain)
  if (book.length > GROUPS_MANY && memory.grain < COARSEST) memory.grain++
  else if (book.length < GROUPS_FEW && memory.grain > 0) memory.grain--
  if (!memory.result || performance.now() > memory.result.at + RESULT_FOR_MS)
    memory.result = { at: performance.now(), usd: await houseResult(snapshot) }
  const bounds: Bounds = await readBounds(snapshot, { production: deps.production, result: memory.result.usd })
  memory.capital = bounds.isClosed ? 'rejected' : bounds.equity.capital > 0n ? 'there' : 'accepted for now'
  const figures = figuresOf(bounds, worstLoss(book, prices), deps.instruments)
  return { round: first(heads).round, rows, figures, isClosed: bounds.isClosed }
}

/** Returns what changes for the lanes. */
function changesOf(
  rows: readonly RoomRow[],
  figures: RiskFigures,
  isClosed: boolean,
): { changes: Change[]; isUnmet: boolean } {
  const changes: Change[] = []
  let isUnmet = false
  for (const [room, lanes] of Map.groupBy(rows, (row) => row.room)) {
    const { most, loss } = figures.rooms[room] ?? { most: 0, loss: 0 }
    const left = BigInt(most) - BigInt(Math.ceil(loss))
    const allotted = new Map(allot(left, lanes).map(({ lane, change }) => [lane, change]))
    const shown = isClosed ? -1n : left * SMALL_PART <= BigInt(most) ? (left > 0n ? left : 0n) : null
    for (const { lane, open, wanted, room_left } of lanes) {
      const change = allotted.get(lane) ?? 0n
      if (wanted > open + change && wanted <= left) isUnmet = true
      if (change === 0n && wanted === 0n && shown === room_left) continue
      // It keeps its wish until it is met, or can't be.
      const answered = wanted <= open + change || wanted > left
      changes.push({
        lane,
        room,
        change,
        wanted: answered ? wanted : 0n,
        left: wanted > left && shown === null ? left : shown,
      })
    }
  }
  return { changes, isUnmet }
}

/**
 * Writes what was counted and granted, unless another engine has counted since: what that granted isn't in these figures.
 * One statement: orders wait for these rows, and a transaction that an engine leaves open would hold them up.
 */
async function write(db: Db, round: bigint, shown: string, changes: readonly Change[]): Promise<boolean> {
  const { rows } = await sql<{ written: boolean }>`
    with head as (
      update risk_count set round = round + 1, counted_at = clock_timestamp(), figures = ${shown}::jsonb
      where round = ${round} returning round
    ), gone as (
      delete from risk_lanes using head where seen_at < clock_timestamp() - make_interval(secs => ${LANE_GONE_MS / 1_000})
    ), granted as (
      update risk_rooms r set granted = greatest(r.used, r.granted + c.change), room_left = c.room_left,
        wanted = case when c.wanted > 0 and r.wanted <= c.wanted then 0 else r.wanted end
      from head, unnest(${changes.map(({ lane }) => lane)}::int[], ${changes.map(({ room }) => room)}::int[],
        ${changes.map(({ change }) => change)}::bigint[], ${changes.map(({ wanted }) => wanted)}::bigint[],
        ${changes.map(({ left }) => left)}::bigint[]) as c(lane, room, change, wanted, room_left)
      where r.lane = c.lane and r.room = c.room
    )
    select count(*) > 0 as written from head`.execute(db)
  return first(rows).written
}
