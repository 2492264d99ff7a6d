import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, type Snapshot, sql, type Tx } from '../../platform/database/db.ts'
import { bodyHash, chainHash, GENESIS_HASH } from './frames/frame.ts'
import { readChain, unpackBodies } from './frames/pack.ts'
import { OLDEST_MS } from './gate.ts'

/** A frame as the chain needs it. `body` only where it was asked for and is still kept. */
interface ChainedFrame {
  n: number
  t: Ms
  bodyHash: Buffer
  body: Buffer | undefined
}

/** A run of the tape, and the hash of the frame before it. */
interface FrameRun {
  before: Buffer
  frames: ChainedFrame[]
}

/** Returns the frames `from` to `to`, with the bodies of those in `withBody`. Throws if there are gaps. */
export async function readFrames(
  db: Snapshot,
  from: number,
  to: number,
  withBody: ReadonlySet<number>,
): Promise<FrameRun> {
  const frames: ChainedFrame[] = []
  let before: Buffer | undefined
  const { rows } = await sql<{
    minute: bigint
    first_n: bigint
    chain: Buffer
    packed: Buffer | null
    prev: Buffer | null
  }>`
    select m.minute, m.first_n, m.chain, b.packed, p.last_hash as prev
    from tape_minutes m left join tape_bodies b using (minute) left join tape_minutes p on p.last_n = m.first_n - 1
    where m.last_n >= ${from} and m.first_n <= ${to} order by m.minute`.execute(db)
  for (const row of rows) {
    const links = readChain(Number(row.minute), row.chain)
    const first = Number(row.first_n)
    const wanted = links.some((_, i) => withBody.has(first + i))
    const bodies = wanted && row.packed ? unpackBodies(row.packed, links) : undefined
    let hash = row.prev ?? GENESIS_HASH
    links.forEach((link, i) => {
      const n = first + i
      if (n === from) before = hash
      hash = chainHash(hash, n, link.t, link.bodyHash)
      if (n >= from && n <= to)
        frames.push({ n, t: link.t, bodyHash: link.bodyHash, body: withBody.has(n) ? bodies?.[i] : undefined })
    })
  }
  const loose = await sql<{ n: bigint; t: bigint; hash: Buffer; body: Buffer }>`
    select n, t, hash, body from frames where n between ${from - 1} and ${to} order by n`.execute(db)
  for (const row of loose.rows) {
    const n = Number(row.n)
    if (n === from - 1) before = row.hash
    else
      frames.push({ n, t: Number(row.t), bodyHash: bodyHash(row.body), body: withBody.has(n) ? row.body : undefined })
  }
  if (before === undefined) {
    const last = await sql<{
      last_hash: Buffer
    }>`select last_hash from tape_minutes where last_n = ${from - 1}`.execute(db)
    before = last.rows[0]?.last_hash ?? (from === 1 ? GENESIS_HASH : undefined)
  }
  if (before === undefined || frames.length !== to - from + 1 || frames.some(({ n }, i) => n !== from + i))
    throw new Error(`the tape has a gap between frames ${from} and ${to}`)
  return { before, frames }
}

/**
 * Returns the numbers of the frames that can hold a tick with a source time after `after` and up to `until`, with the one
 * before them and the one after; undefined while the tape may still get such a tick.
 */
export async function framesOver(
  db: Snapshot,
  after: Ms,
  until: Ms,
): Promise<{ first: number; last: number } | undefined> {
  const last = await frameAfter(db, until + OLDEST_MS)
  const next = await frameAfter(db, after)
  return last === undefined || next === undefined ? undefined : { first: Math.max(1, next - 1), last }
}

/** Returns the number of the first frame after this time. */
export async function frameAfter(db: Db | Tx | Snapshot, t: Ms): Promise<number | undefined> {
  // All of the first minute's frames may be older.
  const { rows } = await sql<{ minute: bigint; first_n: bigint; chain: Buffer }>`
    select minute, first_n, chain from tape_minutes where minute >= ${startOf(t, MINUTE_MS)} order by minute limit 2`.execute(
    db,
  )
  for (const { minute, first_n, chain } of rows) {
    const i = readChain(Number(minute), chain).findIndex((link) => link.t > t)
    if (i !== -1) return Number(first_n) + i
  }
  const loose = await sql<{ n: bigint }>`select n from frames where t > ${t} order by t limit 1`.execute(db)
  return loose.rows[0] && Number(loose.rows[0].n)
}
