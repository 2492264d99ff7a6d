import { MINUTE_MS } from '#kernel/time.ts'
import { checkpointText } from '#packages/verify/verify.js'
import { type Db, inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { startLoop } from '../../platform/process/loop.ts'
import { leafHash, rootOf } from '../../platform/tree.ts'
import { type Instruments, tapeHead } from '../../prices/index.ts'
import { type SettledTrade, unsignedTrades } from '../../trading/index.ts'
import { type ProofKey, publishKey } from '../keys/key.ts'
import { type CheckpointRow, digestOf } from './checkpoint-row.ts'
import { leafOf, settledFrom } from './leaf.ts'

const EVERY_MS = MINUTE_MS
const LOOK_MS = 5_000
/** Trades of one checkpoint at most: reading a receipt rebuilds its tree. Where more wait, the next one follows at once. */
const TRADES_MAX = 10_000
/** Held while a checkpoint is signed: a node that has just lost the lead may still be signing one. */
const CHECKPOINT_LOCK = 7_302

interface CheckpointDeps {
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
  let isWaiting = false
  let lastAt = Number.NEGATIVE_INFINITY
  const everyMs = deps.everyMs ?? EVERY_MS
  return startLoop('checkpoints', Math.min(LOOK_MS, everyMs), deps.log, async () => {
    if (!deps.leads() || performance.now() - lastAt < everyMs) return
    if (!(await publishKey(deps.db, deps.key))) {
      if (!isWaiting) deps.log.error(keyWaits(deps.key))
      isWaiting = true
      return
    }
    isWaiting = false
    const trades = await signCheckpoint(deps)
    if (trades < TRADES_MAX) lastAt = performance.now()
  })
}

const keyWaits = ({ id }: ProofKey) =>
  `The key ${id} signs nothing: it isn't published yet, or was revoked. Receipts wait until the key before it signs it (npm run proof -- new-key), or two admins begin it at the desk.`

/** Signs one checkpoint, and returns the number of its trades. */
export async function signCheckpoint({ db, key, instruments }: Omit<CheckpointDeps, 'log' | 'leads'>): Promise<number> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${CHECKPOINT_LOCK})`.execute(tx)
    // Before the head: the frames that proved their ends are then part of what is signed.
    const rows = await unsignedTrades(tx, TRADES_MAX)
    const head = await tapeHead(tx)
    const before = await newestCheckpoint(tx)
    if (head.n === 0 || head.n === Number(before?.frame)) return 0
    // A trade that operators voided at once may be newer than the newest frame: it follows with the next one.
    const proven = rows.filter((row) => settledFrom(row) < BigInt(head.t))
    const trades = proven.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    const leaves = trades.map((row) => leafHash(leafOf(row, instruments).text))
    const checkpoint = {
      epoch: head.epoch,
      frame: head.n,
      time: head.t,
      hash: head.hash.toString('hex'),
      trades: trades.length,
      root: rootOf(leaves).toString('hex'),
      previous: (before ? digestOf(before) : Buffer.alloc(32)).toString('hex'),
      key: key.id,
    }
    await sql`
      insert into checkpoints (frame, epoch, t, hash, trade_ids, leaves, root, settled_until, previous, key, signature)
      values (${head.n}, ${head.epoch}, ${head.t}, ${head.hash}, ${idsOf(trades)}, ${Buffer.concat(leaves)},
        ${Buffer.from(checkpoint.root, 'hex')}, greatest(clock_timestamp(), ${newestOf(trades)}::timestamptz),
        ${Buffer.from(checkpoint.previous, 'hex')}, ${key.id}, ${key.sign(checkpointText(checkpoint))})`.execute(tx)
    return trades.length
  })
}

/** Returns the newest checkpoint, which the next one names. */
async function newestCheckpoint(tx: Tx): Promise<CheckpointRow | undefined> {
  const { rows } = await sql<CheckpointRow>`select * from checkpoints order by frame desc limit 1`.execute(tx)
  return rows[0]
}

/** The newest time at which one of these was settled: later than the checkpoint, if the clock was set back since. */
const newestOf = (rows: readonly SettledTrade[]): string | null =>
  rows.reduce<string | null>((newest, { settled }) => (newest === null || settled > newest ? settled : newest), null)

function idsOf(trades: readonly { id: bigint }[]): Buffer {
  const ids = Buffer.alloc(trades.length * 8)
  for (const [i, { id }] of trades.entries()) ids.writeBigInt64BE(id, i * 8)
  return ids
}
