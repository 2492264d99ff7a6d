import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { assert } from '#kernel/assert.ts'
import { must } from '#kernel/must.ts'
import type { Ms } from '#kernel/time.ts'
import {
  BrokenBody,
  bodyHash,
  decodeFrame,
  type Entry,
  encodeBody,
  type FrameExtras,
  putVarint,
  Reader,
  readOrders,
  readVariances,
} from './frame.ts'

/**
 * A closed minute of frames is stored in two forms. Its chain, kept permanently: for each frame two bytes of time and
 * the hash of its body. Its bodies, packed: the same prices by column instead of by frame, where most numbers are small
 * differences that compress well. A body has only one encoding, so unpacking yields the same bytes again; `packBodies`
 * checks that. Packed: version 1, the series (symbol, kind, scale) by ascending symbol, then the columns: entries of
 * each frame, the index of each entry's series relative to the previous entry, and for each series its sequences, lags
 * and prices, all as differences from the previous value. A minute with frames that bind orders has version 2, and at the
 * end for each frame the number of its orders, 0 if it binds none, and their root. One with a frame that states variances
 * has version 3, and after each frame's orders the number of its variances, 0 if it states none, and each as in the frame.
 * The whole is compressed with zstd.
 */
const VERSION = 1
const VERSION_WITH_ORDERS = 2
const VERSION_WITH_VARIANCES = 3
const CHAIN_BYTES = 34

interface MinuteFrame {
  t: Ms
  body: Buffer
}

interface ChainLink {
  t: Ms
  bodyHash: Buffer
}

/** Builds the chain of a minute from its frames, in order. */
export function chainOf(minute: Ms, frames: readonly MinuteFrame[]): Buffer {
  const chain = Buffer.alloc(frames.length * CHAIN_BYTES)
  frames.forEach(({ t, body }, i) => {
    chain.writeUInt16BE(t - minute, i * CHAIN_BYTES)
    chain.set(bodyHash(body), i * CHAIN_BYTES + 2)
  })
  return chain
}

export function readChain(minute: Ms, chain: Buffer): ChainLink[] {
  const links: ChainLink[] = []
  for (let at = 0; at < chain.length; at += CHAIN_BYTES) {
    links.push({ t: minute + chain.readUInt16BE(at), bodyHash: chain.subarray(at + 2, at + CHAIN_BYTES) })
  }
  return links
}

interface Series {
  symbol: string
  kind: number
  scale: number
}

interface Columns {
  name: string
  /** Index of the series. */
  place: number
  seqs: number[]
  lags: number[]
  prices: number[]
}

const nameOf = ({ symbol, kind, scale }: Series) => `${symbol} ${kind} ${scale}`

/** Packs the bodies of a minute, and verifies that unpacking restores them byte for byte. */
export function packBodies(frames: readonly MinuteFrame[]): Buffer {
  const bodies = frames.map(({ t, body }) => ({ t, ...decodeFrame(t, body) }))
  const statesVariances = bodies.some(({ variances }) => variances.length > 0)
  const bindsOrders = statesVariances || bodies.some(({ orders }) => orders)
  const names = new Map<string, Series>()
  for (const { symbol, kind, scale } of bodies.flatMap(({ entries }) => entries)) {
    const series = { symbol, kind, scale }
    const name = nameOf(series)
    if (!names.has(name)) names.set(name, series)
  }
  const series = [...names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
  const columns = series.map((one, place): Columns => ({ name: nameOf(one), place, seqs: [], lags: [], prices: [] }))
  const byName = new Map(columns.map((column) => [column.name, column]))
  const counts: number[] = []
  const steps: number[] = []
  for (const { t, entries } of bodies) {
    counts.push(entries.length)
    let before = -1
    for (const entry of entries) {
      const column = must(byName.get(nameOf(entry)))
      steps.push(column.place - before - 1)
      before = column.place
      column.seqs.push(entry.seq)
      column.lags.push(t - entry.sourceMs)
      column.prices.push(entry.units)
    }
  }

  const writer = new Writer()
  writer.put(statesVariances ? VERSION_WITH_VARIANCES : bindsOrders ? VERSION_WITH_ORDERS : VERSION)
  writer.put(series.length)
  for (const { symbol, kind, scale } of series) {
    writer.text(symbol)
    writer.put(kind)
    writer.put(scale)
  }
  for (const count of counts) writer.put(count)
  for (const step of steps) writer.put(step)
  for (const { seqs, lags, prices } of columns) {
    writer.differences(seqs)
    writer.differences(lags)
    writer.differences(prices)
  }
  if (bindsOrders) for (const body of bodies) writeExtras(writer, body, statesVariances)
  const packed = zstdCompressSync(writer.bytes())
  const again = unpackBodies(packed, frames)
  assert(
    frames.every(({ body }, i) => again[i]?.equals(body)),
    'packed bodies unpack to the same bytes',
  )
  return packed
}

function writeExtras(
  writer: Writer,
  { orders, variances }: ReturnType<typeof decodeFrame>,
  statesVariances: boolean,
): void {
  writer.put(orders?.count ?? 0)
  if (orders) writer.raw(orders.root)
  if (!statesVariances) return
  writer.put(variances.length)
  for (const { symbol, value } of variances) {
    writer.text(symbol)
    writer.put(value)
  }
}

/** Unpacks the bodies of a minute whose frames have these times. */
export function unpackBodies(packed: Buffer, frames: readonly { t: Ms }[]): Buffer[] {
  const made = frames.map(({ t }) => ({ t, entries: [] as Entry[] }))
  // Series are in ascending symbol order, and a frame has each symbol once: pushing by frame keeps its entries in
  // order.
  const extras = readPacked(packed, frames, undefined, (frame, entry) => must(made[frame]).entries.push(entry))
  return made.map(({ t, entries }, i) =>
    encodeBody(
      t,
      entries.sort((a, b) => (a.symbol < b.symbol ? -1 : 1)),
      extras[i],
    ),
  )
}

/** Returns the entries of one symbol only, oldest first, with the index of their frame in the minute: much cheaper. */
export function unpackSymbol(
  packed: Buffer,
  frames: readonly { t: Ms }[],
  symbol: string,
): { frame: number; entry: Entry }[] {
  const found: { frame: number; entry: Entry }[] = []
  readPacked(packed, frames, symbol, (frame, entry) => found.push({ frame, entry }))
  return found.sort((a, b) => a.entry.seq - b.entry.seq)
}

function readPacked(
  packed: Buffer,
  frames: readonly { t: Ms }[],
  only: string | undefined,
  each: (frame: number, entry: Entry) => void,
): readonly FrameExtras[] {
  const reader = new Reader(zstdDecompressSync(packed))
  const version = reader.varint()
  if (version < VERSION || version > VERSION_WITH_VARIANCES) throw new BrokenBody('unknown version of packing')
  const series = Array.from({ length: reader.varint() }, () => {
    const symbol = reader.symbol()
    return { symbol, kind: reader.varint(), scale: reader.varint(), inFrames: [] as number[] }
  })
  const counts = frames.map(() => reader.varint())
  counts.forEach((count, frame) => {
    let place = -1
    for (let i = 0; i < count; i++) {
      place += reader.varint() + 1
      const one = series[place]
      if (!one) throw new BrokenBody('a series that does not exist')
      one.inFrames.push(frame)
    }
  })
  for (const { symbol, kind, scale, inFrames } of series) {
    const wanted = only === undefined || only === symbol
    const seqs = differences(reader, inFrames.length, wanted)
    const lags = differences(reader, inFrames.length, wanted)
    const prices = differences(reader, inFrames.length, wanted)
    if (!wanted) continue
    inFrames.forEach((frame, i) => {
      each(frame, { symbol, kind, scale, seq: seqs[i]!, sourceMs: frames[frame]!.t - lags[i]!, units: prices[i]! })
    })
  }
  const extras = frames.map((): FrameExtras => {
    if (version === VERSION) return {}
    const orders = readOrders(reader)
    return version === VERSION_WITH_VARIANCES ? { orders, variances: readVariances(reader) } : { orders }
  })
  if (!reader.atEnd()) throw new BrokenBody('bytes after the end')
  return extras
}

function differences(reader: Reader, count: number, keep: boolean): number[] {
  const values: number[] = []
  let value = 0
  for (let i = 0; i < count; i++) {
    const folded = reader.varint()
    if (!keep) continue
    value += unfold(folded)
    values.push(value)
  }
  return values
}

/** Zigzag encoding: maps 0, -1, 1, -2 … to 0, 1, 2, 3 …; for magnitudes up to 2^51. */
export const fold = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
export const unfold = (folded: number): number => (folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2)

export class Writer {
  #room = Buffer.allocUnsafe(16_384)
  #at = 0

  put(value: number): void {
    this.#makeRoom(8)
    this.#at = putVarint(this.#room, this.#at, value)
  }

  #makeRoom(bytes: number): void {
    if (this.#at + bytes <= this.#room.length) return
    const larger = Buffer.allocUnsafe(this.#room.length * 2)
    larger.set(this.#room)
    this.#room = larger
  }

  raw(bytes: Buffer): void {
    this.#makeRoom(bytes.length)
    this.#room.set(bytes, this.#at)
    this.#at += bytes.length
  }

  text(ascii: string): void {
    this.put(ascii.length)
    for (let i = 0; i < ascii.length; i++) this.put(ascii.charCodeAt(i))
  }

  differences(values: readonly number[]): void {
    let before = 0
    for (const value of values) {
      this.put(fold(value - before))
      before = value
    }
  }

  bytes(): Buffer {
    return this.#room.subarray(0, this.#at)
  }
}
