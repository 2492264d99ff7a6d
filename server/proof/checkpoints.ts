import { MINUTE_MS, type Ms } from '#kernel/time.ts'
import { checkpointText } from '#packages/verify/verify.js'
import { type Db, inTransaction, type Snapshot, sql, type Tx } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { startLoop } from '../platform/loop.ts'
import { type Instruments, tapeHead } from '../prices/index.ts'
import { settledSince } from '../trading/index.ts'
import { type ProofKey, publishKey } from './key.ts'
import { statementOf } from './statement.ts'
import { leafHash, rootOf } from './tree.ts'

const EVERY_MS = MINUTE_MS
const LOOK_MS = 5_000
/** Trades of one checkpoint at most: reading a receipt rebuilds its tree. Where more wait, the next one follows at once. */
const TRADES_MAX = 10_000
/** Held while a checkpoint is signed: a node that has just lost the lead may still be signing one. */
const CHECKPOINT_LOCK = 7_302
/** A trade may become visible this long after the time that its settlement wrote. */
const OVERLAP_SECONDS = 15

export interface CheckpointDeps {
  db: Db
  log: Log
  key: ProofKey
  instruments: Instruments
  /** Whether this node writes the tape. */
  leads(): boolean
  /** How often, in milliseconds; by default once a minute. */
  everyMs?: number
}

/** Signs a checkpoint once a minute, on the engine that writes the tape. */
export function startCheckpoints(deps: CheckpointDeps): { stop(): Promise<void> } {
  let publishedKey = false
  let lastAt = Number.NEGATIVE_INFINITY
  const everyMs = deps.everyMs ?? EVERY_MS
  return startLoop('checkpoints', Math.min(LOOK_MS, everyMs), deps.log, async () => {
    if (!deps.leads() || performance.now() - lastAt < everyMs) return
    if (!publishedKey) {
      await publishKey(deps.db, deps.key)
      publishedKey = true
    }
    const trades = await signCheckpoint(deps)
    if (trades < TRADES_MAX) lastAt = performance.now()
  })
}

/** Signs one checkpoint, and returns the number of its trades. */
export async function signCheckpoint({ db, key, instruments }: Omit<CheckpointDeps, 'log' | 'leads'>): Promise<number> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${CHECKPOINT_LOCK})`.execute(tx)
    const head = await tapeHead(tx)
    const until = await now(tx)
    const last = await readOverlap(tx, head.t)
    if (head.n === 0 || head.n === Number(last?.frame)) return 0
    const rows = await settledSince(tx, {
      since: last?.from ?? '-infinity',
      except: last === undefined ? [] : await recentIds(last.from),
      limit: TRADES_MAX,
    })
    const trades = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const leaves = trades.map((row) => leafHash(statementOf(row, instruments).text))
    const checkpoint = {
      epoch: head.epoch,
      frame: head.n,
      time: head.t,
      hash: head.hash.toString('hex'),
      trades: trades.length,
      root: rootOf(leaves).toString('hex'),
    }
    // Where more wait, the next checkpoint continues after the newest of these. Otherwise one of them may have been
    // settled while the clock was ahead.
    const newest = rows.at(-1)?.settled ?? until
    const settledFrom = rows.length < TRADES_MAX ? until : newest
    await sql`
      insert into checkpoints (frame, epoch, t, hash, trade_ids, leaves, root, settled_until, key, signature)
      values (${head.n}, ${head.epoch}, ${head.t}, ${head.hash}, ${idsOf(trades)}, ${Buffer.concat(leaves)},
        ${Buffer.from(checkpoint.root, 'hex')}, greatest(${settledFrom}::timestamptz, ${newest}::timestamptz), ${key.id}, ${key.sign(checkpointText(checkpoint))})`.execute(
      tx,
    )
    return trades.length

    /** The trades of the checkpoints that the overlap may read again. */
    async function recentIds(since: string): Promise<bigint[]> {
      const { rows } = await sql<{ trade_ids: Buffer }>`
        select trade_ids from checkpoints
        where settled_until > ${since}::timestamptz
          or frame = (select max(frame) from checkpoints)`.execute(tx)
      return rows.flatMap(({ trade_ids }) => readIds(trade_ids))
    }
  })
}

/**
 * Returns the last checkpoint's frame, and the time (text) up to which every settled trade is in a checkpoint.
 * Settlements are timed by the database's clock. If that was set back since, the tape, which never goes back, shows how
 * long ago the last checkpoint was.
 */
export async function readOverlap(db: Snapshot, headTime: Ms): Promise<{ frame: bigint; from: string } | undefined> {
  const { rows } = await sql<{ frame: bigint; from: string }>`
    select frame, (least(settled_until, clock_timestamp() - make_interval(secs => (${headTime} - t) / 1000.0))
        - make_interval(secs => ${OVERLAP_SECONDS}))::text as from
    from checkpoints order by frame desc limit 1`.execute(db)
  return rows[0]
}

/** The database's time as text, in UTC. */
async function now(tx: Tx): Promise<string> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp()::text as now`.execute(tx)
  return rows[0]!.now
}

function idsOf(trades: readonly { id: bigint }[]): Buffer {
  const ids = Buffer.alloc(trades.length * 8)
  for (const [i, { id }] of trades.entries()) ids.writeBigInt64BE(id, i * 8)
  return ids
}

export const readIds = (ids: Buffer): bigint[] =>
  Array.from({ length: ids.length / 8 }, (_, i) => ids.readBigInt64BE(i * 8))
