import { createHash, createPublicKey, type Hash, type KeyObject, verify } from 'node:crypto'
import { publicId } from '#kernel/id.ts'
import { first, last, must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import { checkpointText, keyText } from '#packages/verify/verify.js'
import { expiredIds, type RemovedDay, removedDays } from '../ledger/index.ts'
import { type Db, inSnapshot, type Snapshot, sql } from '../platform/database/db.ts'
import { leafHash, rootOf } from '../platform/tree.ts'
import type { Instruments } from '../prices/index.ts'
import { settledTrades } from '../trading/index.ts'
import { type CheckpointRow, digestOf, readIds, toCheckpoint } from './checkpoints/checkpoint-row.ts'
import { leafOf, settledFrom } from './checkpoints/leaf.ts'
import { checkSignedOnce, type Span } from './checkpoints/signed-once.ts'
import { keyId } from './keys/key.ts'

interface ProofVerdict {
  checkpoints: number
  trades: number
  /** Those of the trades that were removed: their leaves were checked by the hash of their day. */
  removed: number
  /** The frames that checkpoints name: the tape must have them with this time and hash. */
  frames: Map<number, { t: Ms; hash: Buffer }>
  /** The first thing that is wrong; undefined if all is well. */
  broken: string | undefined
}

const AT_ONCE = 200

/**
 * Checks every checkpoint: its key and signature, its tree, and that each settled trade is in exactly one of them, or
 * awaits the next, and still matches its signed leaf. Trades that are missing must be exactly those that were archived or
 * have expired. `verifyTape` checks the tape against the frames that this returns.
 */
export async function verifyProof(
  db: Db,
  instruments: Instruments,
  progress?: (looked: number) => void,
): Promise<ProofVerdict> {
  const verdict: ProofVerdict = { checkpoints: 0, trades: 0, removed: 0, frames: new Map(), broken: undefined }
  verdict.broken = await inSnapshot(db, async (snapshot) => {
    await sql`set local statement_timeout = 0`.execute(snapshot)
    const spans: Span[] = []
    const wrong = await checkCheckpoints(snapshot, instruments, verdict, spans, progress)
    if (wrong !== undefined) return wrong
    return checkSignedOnce(snapshot, spans)
  })
  return verdict
}

async function checkCheckpoints(
  db: Snapshot,
  instruments: Instruments,
  verdict: ProofVerdict,
  spans: Span[],
  progress: ((looked: number) => void) | undefined,
): Promise<string | undefined> {
  const keys = await readKeys(db)
  if (typeof keys === 'string') return keys
  const removed = new RemovedTrades(db, await removedDays(db))
  let before: CheckpointRow | undefined
  for (let after = 0n; ; ) {
    const { rows } = await sql<CheckpointRow>`
      select * from checkpoints where frame > ${after} order by frame limit ${AT_ONCE}`.execute(db)
    for (const row of rows) {
      const where = `checkpoint at frame ${row.frame}`
      if (before && (row.t <= before.t || row.epoch < before.epoch)) return `${where}: is before the one before it`
      if (!isChained(row, before)) return `${where}: doesn't follow from the one before it`
      before = row
      const checkpoint = toCheckpoint(row)
      if (!verify(null, Buffer.from(checkpointText(checkpoint)), must(keys.get(row.key)), row.signature))
        return `${where}: its signature is wrong`
      const ids = readIds(row.trade_ids)
      const rest = new Map((await settledTrades(db, ids)).map((trade) => [trade.id, trade]))
      const leaves: Buffer[] = []
      for (const [i, id] of ids.entries()) {
        const trade = rest.get(id)
        const signed = row.leaves.subarray(32 * i, 32 * i + 32)
        if (!trade) {
          if (!(await removed.count(dayOf(row), row.trade_ids.subarray(8 * i, 8 * i + 8), signed)))
            return `${where}: its trade ${publicId(id)} is missing or open`
          verdict.removed++
        }
        if (trade && row.t <= settledFrom(trade)) return `${where}: states trade ${publicId(id)} before its end`
        const leaf = trade ? leafHash(leafOf(trade, instruments).text) : signed
        if (!leaf.equals(signed)) return `${where}: trade ${publicId(id)} is no longer what it states`
        leaves.push(leaf)
      }
      if (!rootOf(leaves).equals(row.root)) return `${where}: its root doesn't follow from its trades`
      if (ids.length > 0) spans.push({ frame: row.frame, ...ends(ids), trades: ids.length })
      verdict.frames.set(Number(row.frame), { t: Number(row.t), hash: row.hash })
      verdict.checkpoints++
      verdict.trades += ids.length
    }
    progress?.(verdict.checkpoints)
    if (rows.length < AT_ONCE) break
    after = last(rows).frame
  }
  return removed.difference()
}

/** Adds up the trades that checkpoints state and the database lacks, in the order of the checkpoints. */
class RemovedTrades {
  readonly #db: Snapshot
  readonly #days: Map<string, RemovedDay & { hash: Hash; found: bigint }>
  /** The expired trades of the day that is looked at, and how many of them were found. */
  #expired: { day: string; ids: Buffer; found: number } = { day: '', ids: Buffer.alloc(0), found: 0 }

  constructor(db: Snapshot, days: readonly RemovedDay[]) {
    this.#db = db
    this.#days = new Map(
      days.map((day) => [`${day.kind} ${day.day}`, { ...day, hash: createHash('sha256'), found: 0n }]),
    )
  }

  /** Returns whether a trade of a day, its id as 8 bytes, was removed. */
  async count(day: string, id: Buffer, leaf: Buffer): Promise<boolean> {
    if (this.#expired.day !== day) this.#expired = { day, ids: await expiredIds(this.#db, day), found: 0 }
    const { ids, found } = this.#expired
    const isExpired = ids.subarray(8 * found, 8 * found + 8).equals(id)
    if (isExpired) this.#expired.found++
    const of = this.#days.get(`${isExpired ? 'expired' : 'archived'} ${day}`)
    if (!of) return false
    of.hash.update(id).update(leaf)
    of.found++
    return true
  }

  /** Returns what differs from the records of the days; undefined if nothing does. */
  difference(): string | undefined {
    for (const { kind, day, trades, leaves, hash, found } of this.#days.values())
      if (found !== trades || !hash.digest().equals(leaves))
        return `${day}: ${found} trades are missing, but not the ${trades} that ${kind === 'archived' ? 'were archived' : 'expired'}`
    return undefined
  }
}

/** Whether a checkpoint names the one before it. Those from before they were chained name none. */
function isChained({ previous }: CheckpointRow, before: CheckpointRow | undefined): boolean {
  if (previous === null) return !before?.previous
  return previous.equals(before ? digestOf(before) : Buffer.alloc(32))
}

/** Returns the smallest and the largest of these ids. */
function ends(ids: readonly bigint[]): Pick<Span, 'first' | 'last'> {
  let [smallest, largest] = [first(ids), first(ids)]
  for (const id of ids) {
    if (id < smallest) smallest = id
    if (id > largest) largest = id
  }
  return { first: smallest, last: largest }
}

/** The UTC day whose archive holds the trades of a checkpoint. */
export const dayOf = ({ t }: Pick<CheckpointRow, 't'>): string => new Date(Number(t)).toISOString().slice(0, 10)

/** Returns the published keys by their ids, or what is wrong with one. */
export async function readKeys(db: Snapshot): Promise<Map<string, KeyObject> | string> {
  const rows = await db.selectFrom('proof_keys').selectAll().execute()
  const keys = new Map(
    rows.map((row) => [
      row.id,
      createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: row.public_key.toString('base64url') },
        format: 'jwk',
      }),
    ]),
  )
  for (const { id, public_key, signed_by, signature } of rows) {
    if (keyId(public_key) !== id) return `key ${id}: has another fingerprint`
    if (signed_by === null) continue
    const text = keyText({ public_key: public_key.toString('hex'), signed_by })
    if (!verify(null, Buffer.from(text), must(keys.get(signed_by)), must(signature)))
      return `key ${id}: isn't signed by ${signed_by}`
  }
  return keys
}
