import { last } from '#kernel/must.ts'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { type Db, inSnapshot, type Snapshot, sql } from '../../platform/database/db.ts'
import {
  BrokenBody,
  bodyHash,
  chainHash,
  decodeFrame,
  type Entry,
  type FrameOrders,
  frameHash,
  GENESIS_HASH,
} from './frames/frame.ts'
import { readChain, unpackBodies } from './frames/pack.ts'
import { OLDEST_MS } from './gate.ts'
import { StatedVariances } from './variances.ts'

/** Results of a walk over the whole tape. */
interface TapeVerdict {
  frames: number
  ticks: number
  /** Minutes whose bodies the retention has dropped: their chain was checked, their ticks are gone. */
  droppedMinutes: number
  /** Describes the first row that breaks a rule; undefined if all is well. */
  broken: string | undefined
}

/** Frames whose time and hash are known from elsewhere. */
type Marks = ReadonlyMap<number, { t: Ms; hash: Buffer }>

const MINUTES_AT_ONCE = 60
const FRAMES_AT_ONCE = 1_000

/**
 * Walks the tape from its first frame to its head, from the raw rows alone, in one snapshot: the chain hash by hash,
 * numbers and sequences without gaps, ascending times, no tick newer than its frame or older than allowed, the
 * variances equal to those of the minutes before, the searchable index equal to the frames, the candles equal to the ticks. Reports the first row that breaks a rule.
 */
export async function verifyTape(db: Db, marks: Marks = new Map()): Promise<TapeVerdict> {
  const verdict: TapeVerdict = { frames: 0, ticks: 0, droppedMinutes: 0, broken: undefined }
  try {
    await inSnapshot(db, (snapshot) => walkTape(snapshot, verdict, marks))
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    verdict.broken = error.message
  }
  return verdict
}

class Broken extends Error {}

function must(condition: boolean, row: () => string): asserts condition {
  if (!condition) throw new Broken(row())
}

interface Last {
  seq: number
  sourceMs: Ms
}

/** Each epoch continues from a frame of the previous one, which it names by number and hash. */
async function readEpochs(db: Snapshot) {
  const rows = await db
    .selectFrom('tape_epochs')
    .select(['epoch', 'after_frame', 'after_hash'])
    .orderBy('epoch')
    .execute()
  let before: (typeof rows)[number] | undefined
  for (const row of rows) {
    const { epoch = 0, after_frame } = before ?? {}
    must(row.epoch === epoch + 1, () => `epoch ${row.epoch}: follows epoch ${epoch}`)
    must(
      after_frame === undefined || row.after_frame >= after_frame,
      () => `epoch ${row.epoch}: starts before the previous epoch`,
    )
    before = row
  }
  const byFrame = Map.groupBy(rows, (row) => Number(row.after_frame))
  const compare = (n: number, hash: Buffer) => {
    for (const { epoch, after_hash } of byFrame.get(n) ?? [])
      must(after_hash.equals(hash), () => `epoch ${epoch}: has a different hash of frame ${n}`)
  }
  compare(0, GENESIS_HASH)
  return { compare }
}

/** What is known after each frame of the walk. */
interface Walk {
  n: number
  t: Ms
  hash: Buffer
  /** The bodies up to this frame were dropped. */
  droppedUntil: number
  variances: StatedVariances
  /** The newest entry of each symbol. */
  last: Map<string, Last>
  marksMet: number
  marks: Marks
  verdict: TapeVerdict
  index: Awaited<ReturnType<typeof readIndex>>
  epochs: Awaited<ReturnType<typeof readEpochs>>
  orders: ReturnType<typeof boundOrders>
}

async function walkTape(db: Snapshot, verdict: TapeVerdict, marks: Marks): Promise<void> {
  const walk: Walk = {
    variances: new StatedVariances(undefined),
    ...{ n: 0, t: 0, hash: GENESIS_HASH, droppedUntil: 0, last: new Map(), marksMet: 0, marks, verdict },
    index: await readIndex(db),
    epochs: await readEpochs(db),
    orders: boundOrders(db),
  }
  await walkMinutes(db, walk)
  await walkFrames(db, walk)
  const stray = await sql<{ n: bigint }>`
    select n from frames where n <= (select coalesce(max(last_n), 0) from tape_minutes) limit 1`.execute(db)
  must(stray.rows.length === 0, () => `frame ${stray.rows[0]?.n}: is packed but also still unpacked`)
  const head = await db.selectFrom('tape_head').selectAll().executeTakeFirstOrThrow()
  must(
    Number(head.number) === walk.n && Number(head.t) === walk.t && head.hash.equals(walk.hash),
    () => `tape_head: names frame ${head.number}, but the tape ends with frame ${walk.n}`,
  )
  must(walk.marksMet === marks.size, () => "a checkpoint: names a frame that the tape doesn't have")
  walk.index.finish(walk.droppedUntil)
  walk.orders.finish()
  await compareCandles(db)
}

interface PackedMinute {
  minute: bigint
  first_n: bigint
  last_n: bigint
  chain: Buffer
  last_hash: Buffer
  packed: Buffer | null
}

async function walkMinutes(db: Snapshot, walk: Walk): Promise<void> {
  for (let minute = -1; ; ) {
    const { rows } =
      await sql<PackedMinute>`select minute, first_n, last_n, chain, last_hash, packed from tape_minutes left join tape_bodies using (minute)
      where minute > ${minute} order by minute limit ${MINUTES_AT_ONCE}`.execute(db)
    if (rows.length > 0) await walk.orders.load(walk.n + 1, Number(last(rows).last_n))
    for (const row of rows) {
      minute = Number(row.minute)
      walkMinute(walk, row)
    }
    if (rows.length < MINUTES_AT_ONCE) break
  }
}

function walkMinute(walk: Walk, row: PackedMinute): void {
  const minute = Number(row.minute)
  const where = `minute ${minute} (frames ${row.first_n} to ${row.last_n})`
  must(Number(row.first_n) === walk.n + 1, () => `${where}: follows frame ${walk.n}`)
  const links = readChain(minute, row.chain)
  for (const link of links) {
    const n = walk.n + 1
    must(link.t > walk.t, () => `frame ${n}: its time does not ascend`)
    must(startOf(link.t, MINUTE_MS) === minute, () => `frame ${n}: is in the wrong minute`)
    advance(walk, n, link.t, chainHash(walk.hash, n, link.t, link.bodyHash))
  }
  must(
    walk.n === Number(row.last_n) && walk.hash.equals(row.last_hash),
    () => `${where}: its chain doesn't lead to its hash`,
  )
  if (!row.packed) {
    walk.verdict.droppedMinutes++
    walk.droppedUntil = walk.n
    walk.verdict.frames += links.length
    walk.last.clear()
    walk.variances = new StatedVariances(walk.t)
    links.forEach((link, i) => {
      walk.orders.pass(Number(row.first_n) + i, link.t)
    })
    return
  }
  const bodies = unpacked(where, row.packed, links)
  bodies.forEach((body, i) => {
    const frame = Number(row.first_n) + i
    const link = links[i]
    must(
      link !== undefined && bodyHash(body).equals(link.bodyHash),
      () => `frame ${frame}: its body doesn't match its hash`,
    )
    readEntries(walk, frame, link.t, body)
  })
}

/** The frames that aren't packed yet. */
async function walkFrames(db: Snapshot, walk: Walk): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ n: bigint; t: bigint; hash: Buffer; body: Buffer }>`
      select n, t, hash, body from frames where n > ${walk.n} order by n limit ${FRAMES_AT_ONCE}`.execute(db)
    // After the last frame there is none.
    await walk.orders.load(walk.n + 1, rows.length > 0 ? Number(last(rows).n) : Number.MAX_SAFE_INTEGER)
    for (const row of rows) {
      const frame = Number(row.n)
      must(frame === walk.n + 1, () => `frame ${frame}: follows frame ${walk.n}`)
      const t = Number(row.t)
      must(t > walk.t, () => `frame ${frame}: its time does not ascend`)
      const hash = frameHash(walk.hash, frame, t, row.body)
      must(hash.equals(row.hash), () => `frame ${frame}: its hash doesn't match its bytes and the previous frame`)
      advance(walk, frame, t, hash)
      readEntries(walk, frame, t, row.body)
    }
    if (rows.length === 0) break
  }
}

/** Moves the walk to the next frame. */
function advance(walk: Walk, n: number, t: Ms, hash: Buffer): void {
  walk.n = n
  walk.t = t
  walk.hash = hash
  walk.epochs.compare(n, hash)
  const mark = walk.marks.get(n)
  if (!mark) return
  walk.marksMet++
  must(mark.t === t && mark.hash.equals(hash), () => `checkpoint at frame ${n}: differs from the tape`)
}

/** Rules for the entries of every frame whose body still exists. */
function readEntries(walk: Walk, frame: number, frameT: Ms, body: Buffer): void {
  const { last, verdict } = walk
  let entries: Entry[]
  let differs: string | undefined
  try {
    const read = decodeFrame(frameT, body)
    entries = read.entries
    walk.orders.compare(frame, frameT, read.orders)
    differs = walk.variances.frame(frameT, entries, read.variances)
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error
    throw new Broken(`frame ${frame}: its body cannot be read (${error.message})`)
  }
  must(differs === undefined, () => `frame ${frame}: its variance of ${differs} doesn't follow from the prices before`)
  for (const entry of entries) {
    const before = last.get(entry.symbol)
    const where = () => `frame ${frame}, ${entry.symbol} sequence ${entry.seq}`
    const follows = before ? entry.seq === before.seq + 1 : walk.droppedUntil > 0 || entry.seq === 1
    must(follows, () => `${where()}: follows sequence ${before?.seq ?? 0}`)
    must(entry.sourceMs > (before?.sourceMs ?? 0), () => `${where()}: its source time does not ascend`)
    must(entry.sourceMs <= frameT, () => `${where()}: is newer than its frame`)
    must(frameT - entry.sourceMs <= OLDEST_MS, () => `${where()}: is older than a frame may contain`)
    last.set(entry.symbol, { seq: entry.seq, sourceMs: entry.sourceMs })
    walk.index.compare(frame, entry)
    verdict.ticks++
  }
  verdict.frames++
}

function unpacked(where: string, packed: Buffer, links: readonly { t: Ms }[]): Buffer[] {
  try {
    return unpackBodies(packed, links)
  } catch (error) {
    throw new Broken(`${where}: its bodies cannot be unpacked (${error instanceof Error ? error.message : error})`)
  }
}

/** The orders that frames bind, as they are stored next to the tape: crossed off as the walk meets their frames. */
function boundOrders(db: Snapshot) {
  const left = new Map<number, { t: bigint; count: number; root: Buffer }>()
  const take = (frame: number, t: Ms) => {
    const row = left.get(frame)
    must(!row || Number(row.t) === t, () => `orders of frame ${frame}: have another time than the frame`)
    left.delete(frame)
    return row
  }
  const finish = () => {
    const [frame] = left.keys()
    must(frame === undefined, () => `orders of frame ${frame}: no such frame binds them`)
  }
  return {
    async load(first: number, last: number): Promise<void> {
      finish()
      const { rows } = await sql<{ frame: bigint; t: bigint; count: number; root: Buffer }>`
        select frame, t, cardinality(trade_ids) as count, root from frame_orders
        where frame between ${first} and ${last}`.execute(db)
      for (const { frame, ...row } of rows) left.set(Number(frame), row)
    },
    compare(frame: number, t: Ms, orders: FrameOrders | undefined): void {
      const row = take(frame, t)
      must(
        row && orders ? row.count === orders.count && row.root.equals(orders.root) : !row && !orders,
        () => `frame ${frame}: binds other orders than the ones stored`,
      )
    },
    /** A frame whose body the retention has dropped. */
    pass: take,
    finish,
  }
}

/** The searchable index, read in full; entries are crossed off as the walk meets their ticks. */
async function readIndex(db: Snapshot) {
  const { rows } = await sql<{
    symbol: string
    symbol_id: number
    source_ms: bigint
    seq: bigint
    price: bigint
    kind: number
    frame: bigint
  }>`select symbol, ticks.* from ticks join instruments on id = symbol_id`.execute(db)
  const wanted = new Map(rows.map((row) => [`${row.symbol} ${row.source_ms}`, row]))
  const from = new Map<string, bigint>()
  for (const row of rows) {
    const known = from.get(row.symbol)
    if (known === undefined || row.source_ms < known) from.set(row.symbol, row.source_ms)
  }
  return {
    compare(frame: number, entry: Entry): void {
      const name = `${entry.symbol} ${entry.sourceMs}`
      const row = wanted.get(name)
      const where = `ticks ${entry.symbol} at ${entry.sourceMs}`
      if (!row) {
        const begins = from.get(entry.symbol)
        must(begins !== undefined && entry.sourceMs < begins, () => `${where}: missing, though frame ${frame} has it`)
        return
      }
      must(
        Number(row.seq) === entry.seq &&
          Number(row.price) === entry.units &&
          row.kind === entry.kind &&
          Number(row.frame) === frame,
        () => `${where}: differs from frame ${frame}`,
      )
      wanted.delete(name)
    },
    /** `droppedUntil`: the last frame whose body is gone; a silent symbol's newest tick may be in one. */
    finish(droppedUntil: number): void {
      const left = wanted.values().find((row) => Number(row.frame) > droppedUntil)
      must(left === undefined, () => `ticks ${left?.symbol} at ${left?.source_ms}: no frame has it`)
    },
  }
}

/** Recomputes the candles of the minutes that are still searchable in plain SQL. */
async function compareCandles(db: Snapshot): Promise<void> {
  const { rows } = await sql<{ symbol_id: number; minute: bigint }>`
    select c.symbol_id, c.minute from candles c join (
      select symbol_id, source_ms / 60000 * 60000 as minute, (array_agg(price order by source_ms))[1] as open, max(price) as high,
        min(price) as low, (array_agg(price order by source_ms desc))[1] as close, min(source_ms) as first_ms, min(seq) as first_seq
      from ticks t where not exists (
        -- Kinds never mix: a minute in which the source changed begins with the change.
        select from tape_kinds k
        where k.symbol_id = t.symbol_id and k.source_ms > t.source_ms and k.source_ms / 60000 = t.source_ms / 60000
      ) group by 1, 2
    ) t using (symbol_id, minute)
    where (c.open, c.high, c.low, c.close) is distinct from (t.open, t.high, t.low, t.close)
      -- The oldest minute in the index may be there in part.
      and exists (select from ticks o where o.symbol_id = c.symbol_id and o.source_ms < c.minute)
    order by 2, 1 limit 1`.execute(db)
  must(
    rows.length === 0,
    () => `candles of symbol ${rows[0]?.symbol_id}, minute ${rows[0]?.minute}: differ from the ticks`,
  )
}
