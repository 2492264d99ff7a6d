import { randomUUID } from 'node:crypto'
import { publicId } from '#kernel/id.ts'
import { type Db, sql } from '#server/platform/database/db.ts'

/** What a client saw of one submission. `unknown`: the client can't tell whether the trade exists. */
export type Seen =
  | { kind: 'accepted'; tradeId: string }
  | { kind: 'refused'; why: string }
  | { kind: 'unknown'; why: string }

/** One submission with its own key, and its last known outcome. */
export interface Attempt {
  trader: number
  key: string
  cents: number
  seen: Seen
}

export type Submit = (trader: number, key: string, cents: number) => Promise<Seen>

/**
 * Submits trades in closed loops until stopped, each with its own key, like a crowd of clients. Records what every
 * client saw, for `lossesOf` to compare with what is stored.
 */
export function startLoad(submit: Submit, options: { loops: number; traders: number }) {
  const attempts: Attempt[] = []
  let stopped = false
  const loops = Array.from({ length: options.loops }, async (_, loop) => {
    for (let n = 0; !stopped; n++) {
      const attempt: Attempt = {
        trader: (loop + n) % options.traders,
        key: randomUUID(),
        cents: 100 + ((loop * 31 + n) % 50),
        seen: { kind: 'unknown', why: 'not answered' },
      }
      attempts.push(attempt)
      attempt.seen = await submit(attempt.trader, attempt.key, attempt.cents)
      // Back off briefly after a failure, as clients do.
      if (attempt.seen.kind === 'unknown') await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
  return {
    attempts,
    accepted: () => attempts.filter(({ seen }) => seen.kind === 'accepted').length,
    async stop(): Promise<Attempt[]> {
      stopped = true
      await Promise.all(loops)
      return attempts
    },
  }
}

/**
 * Resubmits every submission whose outcome is unknown, with the same key and body, until each has one (invariant I4).
 */
export async function converge(attempts: readonly Attempt[], submit: Submit): Promise<void> {
  let unknown = attempts.filter(({ seen }) => seen.kind === 'unknown')
  for (let round = 0; unknown.length > 0; round++) {
    if (round === 200)
      throw new Error(`${unknown.length} submissions still have no outcome: ${JSON.stringify(unknown[0]!.seen)}`)
    for (let i = 0; i < unknown.length; i += 50) {
      await Promise.all(
        unknown.slice(i, i + 50).map(async (attempt) => {
          attempt.seen = await submit(attempt.trader, attempt.key, attempt.cents)
        }),
      )
    }
    unknown = unknown.filter(({ seen }) => seen.kind === 'unknown')
    if (unknown.length > 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Compares what clients saw with the stored trades and returns every contradiction as text: an accepted trade that is
 * missing or different (I3), a rejected one that exists (I5), a key with two trades (I1), a trade that was never
 * submitted.
 */
export async function lossesOf(db: Db, attempts: readonly Attempt[]): Promise<string[]> {
  const { rows } = await sql<{
    id: bigint
    key: string
    stake: bigint
  }>`select id, key, stake from trades where key is not null`.execute(db)
  const stored = Map.groupBy(rows, (row) => row.key)
  const asked = new Set(attempts.map((attempt) => attempt.key))
  const losses: string[] = []
  for (const { key, cents, seen } of attempts) {
    const trades = stored.get(key) ?? []
    if (trades.length > 1) losses.push(`${key} has ${trades.length} trades`)
    if (seen.kind === 'accepted' && !trades.some((trade) => publicId(trade.id) === seen.tradeId)) {
      losses.push(`${key} was accepted as ${seen.tradeId} and is not there`)
    }
    if (seen.kind === 'refused' && trades.length > 0) losses.push(`${key} was refused (${seen.why}) and is there`)
    if (trades.some((trade) => trade.stake !== BigInt(cents))) losses.push(`${key} has another stake`)
  }
  for (const key of stored.keys()) if (!asked.has(key)) losses.push(`nobody asked for ${key}`)
  return losses
}
