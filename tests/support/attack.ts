import { Agent, request } from 'node:http'
import { WebSocket } from 'ws'

/** A hostile request. */
export interface Shot {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

interface Answer {
  status: number
  bytes: number
  ms: number
}

const agent = new Agent({ keepAlive: true, maxSockets: 400 })

/**
 * Sends a request from a network of the attacker's choice and reads the whole response. The status is 0 if the
 * connection was cut.
 */
function fire(origin: string, shot: Shot, network?: string): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve) => {
    let bytes = 0
    const done = (status: number) => resolve({ status, bytes, ms: performance.now() - began })
    const sent = request(
      origin + shot.path,
      {
        agent,
        method: shot.method,
        timeout: 20_000,
        headers: {
          ...(shot.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(shot.body)) }),
          ...(network === undefined ? {} : { 'x-forwarded-for': network }),
          ...shot.headers,
        },
      },
      (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on('end', () => done(response.statusCode!))
        response.on('error', () => done(0))
      },
    )
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => done(0))
    sent.end(shot.body)
  })
}

/**
 * Lets `clients` clients, each on its own network, send requests one after another until the time is up. Returns the
 * number of responses by status.
 */
export async function barrage(
  origin: string,
  { clients, forMs, shot }: { clients: number; forMs: number; shot: (client: number, n: number) => Shot },
): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const until = performance.now() + forMs
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let n = 0; performance.now() < until; n++) {
        const { status } = await fire(origin, shot(client, n), networkNumber(client))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }),
  )
  return statuses
}

/** Returns the IP address of a hostile client. */
export const networkNumber = (client: number): string =>
  `198.51.${100 + Math.floor(client / 250)}.${1 + (client % 250)}`

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Returns a JSON object with this many unknown fields. */
export const unknownFields = (count: number): string =>
  `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`

/** Returns a multipart form with this many text fields. */
export function formOfFields(count: number): { headers: Record<string, string>; body: string } {
  const parts = Array.from(
    { length: count },
    (_, n) => `--x\r\ncontent-disposition: form-data; name="f${n}"\r\n\r\n1\r\n`,
  )
  return { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: `${parts.join('')}--x--\r\n` }
}

/** Watches the tape from outside: reports the longest gap between two frames, by their own timestamps. */
export async function watchTape(origin: string): Promise<{ longestGapMs(): number; frames(): number; close(): void }> {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/api/stream`)
  let last: number | undefined
  let longest = 0
  let frames = 0
  await new Promise((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { op: string; t: number }
    if (message.op !== 'frame') return
    if (last !== undefined) longest = Math.max(longest, message.t - last)
    last = message.t
    frames++
  })
  socket.send(JSON.stringify({ op: 'subscribe', symbols: ['*'] }))
  return { longestGapMs: () => longest, frames: () => frames, close: () => socket.terminate() }
}
