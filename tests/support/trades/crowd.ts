import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { verifyAll } from '#ops/commands/verify-all.ts'
import type { Db } from '#server/platform/database/db.ts'
import {
  call,
  copyData,
  dataFolder,
  discard,
  openSuper,
  type ServerProcess,
  startServer,
  type Trader,
  traders,
} from '../servers/server.ts'
import { type Attempt, lossesOf, type Seen, type Submit } from './load.ts'

/**
 * Signed-in traders, on data prepared once per test file and copied for each test. They send HTTP requests to whichever
 * server runs on the copy.
 */
export function crowd(count: number) {
  let prepared: string
  let people: Trader[]

  beforeAll(async () => {
    prepared = mkdtempSync(join(tmpdir(), 'cleartick-prepared-'))
    chmodSync(prepared, 0o711)
    const server = await startServer(prepared)
    people = await traders(server, prepared, count)
    expect(await server.end('SIGTERM')).toBe(0)
  })
  afterAll(() => discard(prepared))

  return {
    person: (number: number): Trader => people[number]!,

    /** Returns a data folder with the traders in it: a new one, or an existing empty one. */
    freshData(folder = dataFolder()): string {
      copyData(prepared, folder)
      return folder
    },

    submitTo: (server: () => ServerProcess, statuses?: Map<number | 'order_expired', number>): Submit =>
      submitAs(() => people, server, statuses),
  }
}

/**
 * Submits a trade, and returns what a client can conclude from the response or from its absence. `statuses` counts the
 * responses; those to orders that waited for more than 2 s, apart from other rejections.
 */
export const submitAs =
  (
    people: () => readonly Trader[],
    server: () => ServerProcess,
    statuses = new Map<number | 'order_expired', number>(),
  ): Submit =>
  async (trader, key, cents): Promise<Seen> => {
    try {
      const { token } = people()[trader]!
      const { status, json } = await call(server(), 'POST', '/trading/submit', { token, key, body: order(cents) })
      const answer = json.code === 'order_expired' ? json.code : status
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1)
      if (status === 200) return { kind: 'accepted', tradeId: (json.data as { trade_id: string }).trade_id }
      if (status >= 500) return { kind: 'unknown', why: `${status} ${json.message}` }
      return { kind: 'refused', why: `${status} ${json.message}` }
    } catch (error) {
      return { kind: 'unknown', why: String(error) }
    }
  }

/** Returns a one-minute trade of this many cents, which also determine symbol, side and mode. */
export const order = (cents: number) => ({
  symbol: cents % 2 ? 'BTCUSDT' : 'ETHUSDT',
  trading_type: 'Cryptocurrency',
  trade_mode: cents % 3 ? 'Buy' : 'Sell',
  amount: cents / 100,
  duration: 60,
  strike_rate: '75/3',
  mode: cents % 5 ? 'demo' : 'real',
})

async function lookInto<T>(dataDir: string, look: (db: Db) => Promise<T>): Promise<T> {
  const { db, close } = openSuper(dataDir)
  try {
    return await look(db)
  } finally {
    await close()
  }
}

/** Returns the violated invariants as text. */
export const broken = (dataDir: string): Promise<string[]> =>
  lookInto(dataDir, async (db) => {
    const findings = await verifyAll(db)
    return findings.flatMap((finding) => (finding.broken === undefined ? [] : [`${finding.name}: ${finding.broken}`]))
  })

/** Returns the contradictions between what clients saw and what is stored. */
export const losses = (dataDir: string, attempts: readonly Attempt[]): Promise<string[]> =>
  lookInto(dataDir, (db) => lossesOf(db, attempts))

/**
 * Waits until the server reports that all its parts are up. An event loop that was late once is reported for up to 20 s.
 */
export async function healthy(server: Pick<ServerProcess, 'origin' | 'output'>, withinMs = 40_000): Promise<void> {
  let last: unknown
  for (const until = performance.now() + withinMs; performance.now() < until; await sleep(50)) {
    const answer = await call(server, 'GET', '/health').catch(String)
    if (typeof answer !== 'string' && answer.status === 200) return
    last = answer
  }
  throw new Error(`the server is not healthy after ${withinMs} ms: ${JSON.stringify(last)}\n${server.output()}`)
}
