import { hash as digest } from 'node:crypto'
import { SOURCES } from '#contract/prices/prices.ts'
import { assert } from '#kernel/assert.ts'
import type { Ms } from '#kernel/time.ts'

/** One price in a frame. */
export interface Entry {
  symbol: string
  /** Kind of source: 0 live, 1 replay, 2 simulation. */
  kind: number
  /** Decimal places of `units`. */
  scale: number
  /** Counts the symbol's ticks from 1, without gaps. */
  seq: number
  /** When the price was valid at its source: never after the frame's `t`, strictly increasing for the symbol. */
  sourceMs: Ms
  /** The price as a whole number at `scale`. Exact as a float64, since the gate rejects anything larger. */
  units: number
}

/** What a frame says of the orders that it binds. */
export interface FrameOrders {
  /** At least one. */
  count: number
  /** The root of the tree of their hashes, 32 bytes. */
  root: Buffer
}

/** How much a symbol's price moves from minute to minute (`kernel/sale-value.ts`). */
export interface FrameVariance {
  symbol: string
  value: number
}

/** What a frame holds besides prices. */
export interface FrameExtras {
  orders?: FrameOrders | undefined
  /** By ascending symbol. */
  variances?: readonly FrameVariance[] | undefined
}

/** A unit of publication: the prices that had news, and their position on the tape. */
export interface Frame {
  /** Counts the frames from 1, without gaps. */
  n: number
  /** When it was published, in tape time; strictly increasing. */
  t: Ms
  /** The hash of the previous frame. */
  prev: Buffer
  hash: Buffer
  /** The exact bytes that the hash covers and the tape stores. */
  body: Buffer
}

/** The previous hash of the first frame. */
export const GENESIS_HASH = Buffer.alloc(32)

/**
 * A body: its version, the number of entries, then the entries by ascending symbol. An entry: length and characters of
 * the symbol, kind, scale, then as varints its sequence, how far its source time lies before `t`, and its price. Whole
 * numbers are little-endian base 128 in their shortest form, so that each content has exactly one encoding. A frame that
 * binds orders has version 2, and after the entries the number of the orders and the root of their tree. A frame that states
 * variances has version 3: after the entries the number of orders, 0 if it binds none, and their root; then the number of
 * variances, and by ascending symbol its length and characters and the variance.
 */
const VERSION = 1
const VERSION_WITH_ORDERS = 2
const VERSION_WITH_VARIANCES = 3
const ROOT_BYTES = 32
const SYMBOL_LENGTH_MAX = 20
const SCALE_MAX = 15
/** The largest price; twice its value is still a safe integer, which differences need. */
export const UNITS_MAX = 2 ** 51

const ENTRY_BYTES_MAX = 1 + SYMBOL_LENGTH_MAX + 2 + 3 * 8

let room = Buffer.allocUnsafe(8192)

/** Encodes a frame's entries, which must be sorted by symbol and contain each symbol once. */
export function encodeBody(t: Ms, entries: readonly Entry[], { orders, variances = [] }: FrameExtras = {}): Buffer {
  const most = 24 + ROOT_BYTES + (entries.length + variances.length) * ENTRY_BYTES_MAX
  if (room.length < most) room = Buffer.allocUnsafe(most)
  room[0] = variances.length > 0 ? VERSION_WITH_VARIANCES : orders ? VERSION_WITH_ORDERS : VERSION
  let at = putVarint(room, 1, entries.length)
  let before = ''
  for (const entry of entries) {
    const { symbol } = entry
    assert(symbol > before, 'the entries of a frame are sorted by symbol')
    before = symbol
    at = putSymbol(at, symbol)
    room[at++] = entry.kind
    room[at++] = entry.scale
    at = putVarint(room, at, entry.seq)
    at = putVarint(room, at, t - entry.sourceMs)
    at = putVarint(room, at, entry.units)
  }
  if (orders) {
    assert(orders.count > 0 && orders.root.length === ROOT_BYTES, 'a frame binds orders by their number and root')
    at = putVarint(room, at, orders.count)
    room.set(orders.root, at)
    at += ROOT_BYTES
  }
  if (variances.length > 0) at = putVariances(orders ? at : putVarint(room, at, 0), variances)
  return Buffer.from(room.subarray(0, at))
}

function putSymbol(to: number, symbol: string): number {
  let at = to
  room[at++] = symbol.length
  for (let i = 0; i < symbol.length; i++) room[at++] = symbol.charCodeAt(i)
  return at
}

function putVariances(to: number, variances: readonly FrameVariance[]): number {
  let at = putVarint(room, to, variances.length)
  let before = ''
  for (const { symbol, value } of variances) {
    assert(symbol > before, 'the variances of a frame are sorted by symbol')
    before = symbol
    at = putVarint(room, putSymbol(at, symbol), value)
  }
  return at
}

/** Thrown for a body that `encodeBody` would not write. */
export class BrokenBody extends Error {
  override name = 'BrokenBody'
}

/** Returns the entries of a body. */
export const decodeBody = (t: Ms, body: Uint8Array): Entry[] => decodeFrame(t, body).entries

/** Decodes a body strictly: anything but the one encoding of its content is a `BrokenBody`. */
export function decodeFrame(
  t: Ms,
  body: Uint8Array,
): { entries: Entry[]; orders: FrameOrders | undefined; variances: readonly FrameVariance[] } {
  const reader = new Reader(body)
  const version = reader.byte()
  if (version < VERSION || version > VERSION_WITH_VARIANCES) throw new BrokenBody('unknown version')
  const count = reader.varint()
  const entries: Entry[] = []
  let before = ''
  for (let i = 0; i < count; i++) {
    const symbol = reader.symbol()
    if (symbol <= before) throw new BrokenBody('symbols are not ascending')
    before = symbol
    const kind = reader.byte()
    if (kind >= SOURCES.length) throw new BrokenBody('unknown kind of source')
    const scale = reader.byte()
    if (scale > SCALE_MAX) throw new BrokenBody('scale out of range')
    const seq = reader.varint()
    const sourceMs = t - reader.varint()
    const units = reader.varint()
    if (seq === 0 || units === 0 || units > UNITS_MAX || sourceMs <= 0) throw new BrokenBody('a number is out of range')
    entries.push({ symbol, kind, scale, seq, sourceMs, units })
  }
  const orders = version === VERSION ? undefined : readOrders(reader)
  if (version === VERSION_WITH_ORDERS && !orders) throw new BrokenBody('no orders')
  const variances = version === VERSION_WITH_VARIANCES ? readVariances(reader) : []
  if (version === VERSION_WITH_VARIANCES && variances.length === 0) throw new BrokenBody('no variances')
  if (!reader.atEnd()) throw new BrokenBody('bytes after the end')
  return { entries, orders, variances }
}

/** Reads the number of variances, and each. */
export function readVariances(reader: Reader): FrameVariance[] {
  let before = ''
  return Array.from({ length: reader.varint() }, () => {
    const symbol = reader.symbol()
    if (symbol <= before) throw new BrokenBody('variances are not ascending')
    before = symbol
    return { symbol, value: reader.varint() }
  })
}

/** Reads the number of the orders and the root of their tree; undefined if there are none. */
export function readOrders(reader: Reader): FrameOrders | undefined {
  const count = reader.varint()
  return count === 0 ? undefined : { count, root: reader.bytes(ROOT_BYTES) }
}

/** The hash of a body, as the chain stores it. */
export const bodyHash = (body: Uint8Array): Buffer => digest('sha256', body, 'buffer')

/** `sha256(prev | n | t | sha256(body))`; n and t as eight bytes each, big-endian. */
export const frameHash = (prev: Uint8Array, n: number, t: Ms, body: Uint8Array): Buffer =>
  chainHash(prev, n, t, bodyHash(body))

const chained = Buffer.alloc(80)

/** The same from the body's hash, for minutes whose bodies were dropped. */
export function chainHash(prev: Uint8Array, n: number, t: Ms, hashOfBody: Uint8Array): Buffer {
  chained.set(prev, 0)
  chained.writeBigUInt64BE(BigInt(n), 32)
  chained.writeBigUInt64BE(BigInt(t), 40)
  chained.set(hashOfBody, 48)
  return digest('sha256', chained, 'buffer')
}

/** Writes `value` (a safe, non-negative integer) at `at` and returns the offset of the next byte. */
export function putVarint(into: Uint8Array, at: number, value: number): number {
  let rest = value
  let next = at
  // Bitwise operators would truncate the number beyond 31 bits.
  while (rest >= 0x8000_0000) {
    into[next++] = (rest % 128) | 0x80
    rest = Math.floor(rest / 128)
  }
  while (rest >= 128) {
    into[next++] = (rest & 0x7f) | 0x80
    rest >>>= 7
  }
  into[next++] = rest
  return next
}

export class Reader {
  #at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new BrokenBody('the bytes end too early')
    return value
  }

  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.byte()))
  }

  /** Reads a safe integer in its shortest form. */
  varint(): number {
    let value = 0
    let factor = 1
    for (;;) {
      const byte = this.byte()
      value += (byte & 0x7f) * factor
      if (value > Number.MAX_SAFE_INTEGER) throw new BrokenBody('a number is too large')
      if (byte < 128) {
        if (byte === 0 && factor > 1) throw new BrokenBody('a number is not in its shortest form')
        return value
      }
      factor *= 128
      if (factor > 2 ** 49) throw new BrokenBody('a number is too long')
    }
  }

  symbol(): string {
    const length = this.byte()
    if (length === 0 || length > SYMBOL_LENGTH_MAX) throw new BrokenBody('a symbol has an invalid length')
    let symbol = ''
    for (let i = 0; i < length; i++) {
      const code = this.byte()
      const isDigit = code >= 48 && code <= 57
      const isLetter = code >= 65 && code <= 90
      if (!isDigit && !isLetter) throw new BrokenBody('a symbol has an invalid character')
      symbol += String.fromCharCode(code)
    }
    return symbol
  }

  atEnd(): boolean {
    return this.#at === this.#bytes.length
  }
}
