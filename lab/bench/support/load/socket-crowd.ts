/**
 * Many sockets on one node, for lab/bench/prices/fanout.ts: a process that subscribes each of them to every symbol and records
 * when each message arrives at each socket. It reads bytes without a library, to leave more of the two cores to the
 * servers.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAsHelper } from './children.ts'

export type CrowdJob =
  /** Opens `count` sockets, at most `atOnce` at a time; replies once all are open and, if asked, have got a message. */
  | { do: 'open'; port: number; count: number; atOnce: number; waitForMessage: boolean }
  /** Discards the records so far. */
  | { do: 'begin' }
  | { do: 'read' }
  | { do: 'close' }

/** Messages that have arrived since `begin`. */
export interface Arrived {
  messages: number
  bytes: number
  open: number
  /** From a message's first arrival at any socket of the crowd to its arrival at each: percentiles, ms. */
  spread: { p50: number; p99: number; most: number }
}

const SUBSCRIBE = masked(JSON.stringify({ op: 'subscribe', symbols: ['*'] }))
/** Tenths of a millisecond, up to ten seconds. */
const SLOTS = 100_000

interface Reader {
  socket: Socket
  isUpgraded: boolean
  /** Bytes of the current message that are still to come. */
  missing: number
  /** The number of the current message. */
  number: number
  /** The start of a message whose header is still incomplete. */
  rest: Buffer | undefined
  received: number
}

let readers: Reader[] = []
let messages = 0
let bytes = 0
let firstArrival = new Map<number, number>()
let spread = new Uint32Array(SLOTS)

answerAsHelper<CrowdJob>(async (job) => {
  switch (job.do) {
    case 'open': {
      const from = performance.now()
      for (let opened = 0; opened < job.count; opened += job.atOnce)
        await Promise.all(Array.from({ length: Math.min(job.atOnce, job.count - opened) }, () => open(job.port)))
      while (job.waitForMessage && readers.some(({ received }) => received === 0)) await sleep(5)
      return { ms: performance.now() - from }
    }
    case 'begin':
      messages = 0
      bytes = 0
      firstArrival = new Map()
      spread = new Uint32Array(SLOTS)
      return {}
    case 'read':
      return {
        messages,
        bytes,
        open: readers.filter(({ socket }) => !socket.destroyed).length,
        spread: { p50: percentile(0.5), p99: percentile(0.99), most: percentile(1) },
      } satisfies Arrived
    case 'close':
      for (const { socket } of readers) socket.destroy()
      readers = []
      return {}
  }
})

/** Opens a socket, and retries while the server is full. */
async function open(port: number): Promise<void> {
  for (;;) {
    try {
      return await tryToOpen(port)
    } catch {
      await sleep(50)
    }
  }
}

function tryToOpen(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const reader: Reader = { socket, isUpgraded: false, missing: 0, number: 0, rest: undefined, received: 0 }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('closed')))
    socket.on('data', (data: Buffer) => {
      if (reader.isUpgraded) return read(reader, data)
      const end = data.indexOf('\r\n\r\n')
      if (!data.includes(' 101 ') || end < 0) return socket.destroy()
      reader.isUpgraded = true
      socket.write(SUBSCRIBE)
      readers.push(reader)
      resolve()
      if (data.length > end + 4) read(reader, data.subarray(end + 4))
    })
    socket.write(
      `GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
  })
}

function read(reader: Reader, chunk: Buffer): void {
  bytes += chunk.length
  let data = reader.rest ? Buffer.concat([reader.rest, chunk]) : chunk
  reader.rest = undefined
  while (data.length > 0) {
    if (reader.missing === 0) {
      const start = headerOf(data)
      // A message begins with its number, which is nearly always in the same packet as the header.
      if (!start || data.length < Math.min(start.head + 40, start.head + start.length)) {
        reader.rest = data
        return
      }
      const isFrame = start.opcode === 1 && data.toString('latin1', start.head, start.head + 16) === '{"op":"frame","n'
      reader.number = isFrame ? Number.parseInt(data.toString('latin1', start.head + 18, start.head + 38), 10) : 0
      if (start.opcode === 9) reader.socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
      reader.missing = start.head + start.length
    }
    const taken = Math.min(reader.missing, data.length)
    reader.missing -= taken
    data = data.subarray(taken)
    if (reader.missing === 0 && reader.number > 0) arrived(reader)
  }
}

function arrived(reader: Reader): void {
  reader.received++
  messages++
  const now = performance.now()
  const first = firstArrival.get(reader.number)
  if (first === undefined) firstArrival.set(reader.number, now)
  spread[Math.min(SLOTS - 1, Math.round((now - (first ?? now)) * 10))]!++
}

/** Returns the length of a message's header and of its payload; undefined while the header isn't complete. */
function headerOf(data: Buffer): { opcode: number; head: number; length: number } | undefined {
  if (data.length < 2) return undefined
  const opcode = data[0]! & 0x0f
  const short = data[1]! & 0x7f
  if (short < 126) return { opcode, head: 2, length: short }
  if (short === 126) return data.length < 4 ? undefined : { opcode, head: 4, length: data.readUInt16BE(2) }
  return data.length < 10 ? undefined : { opcode, head: 10, length: Number(data.readBigUInt64BE(2)) }
}

function percentile(share: number): number {
  const wanted = messages * share
  let seen = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    seen += spread[slot]!
    if (seen >= wanted) return slot / 10
  }
  return SLOTS / 10
}

/** Encodes a client's text message: final frame, masked by zeros. */
function masked(text: string): Buffer {
  const payload = Buffer.from(text)
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length]), Buffer.alloc(4), payload])
}
