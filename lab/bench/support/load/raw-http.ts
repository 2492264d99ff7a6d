/**
 * A minimal HTTP client over raw sockets, for load generators: on a two-core machine, Node's own client would use more
 * CPU per request than the server being measured.
 */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'

interface RawResponse {
  status: number
  body: string
  /** Whether it has a `Retry-After` header. */
  hasRetryAfter: boolean
}

export interface RawConnection {
  /** Sends one request and resolves with its response. One at a time. */
  send(request: string): Promise<RawResponse>
  close(): void
}

/** Opens a keep-alive connection. Understands responses with `content-length`, as our server sends them. */
export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = await connected(port)
  let buffered = ''
  let waiting: { resolve(response: RawResponse): void; reject(error: Error): void } | undefined
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    buffered += text
    const head = buffered.indexOf('\r\n\r\n')
    if (head < 0) return
    const at = buffered.indexOf('content-length: ')
    const length = at < 0 || at > head ? 0 : Number.parseInt(buffered.slice(at + 16, at + 26), 10)
    if (buffered.length < head + 4 + length) return
    const response = {
      status: Number(buffered.slice(9, 12)),
      body: buffered.slice(head + 4, head + 4 + length),
      hasRetryAfter: buffered.slice(0, head).includes('retry-after: '),
    }
    buffered = buffered.slice(head + 4 + length)
    const { resolve } = waiting!
    waiting = undefined
    resolve(response)
  })
  const lost = (error?: Error) => waiting?.reject(error ?? new Error('the server closed a connection'))
  socket.on('error', lost)
  socket.on('close', () => lost())
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

/** Formats a request. `body` is ASCII JSON. */
export function rawRequest(method: string, path: string, token: string, body?: string, key?: string): string {
  const content = body === undefined ? '' : `content-type: application/json\r\ncontent-length: ${body.length}\r\n`
  const idempotency = key === undefined ? '' : `idempotency-key: ${key}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${token}\r\n${content}${idempotency}\r\n${body ?? ''}`
}

/** Opens a signed-in stream socket that discards what it reads. Resolves once the server has confirmed the sign-in. */
export async function openListener(port: number, token: string): Promise<{ bytes(): number; close(): void }> {
  const socket = await connected(port)
  let bytes = 0
  let opening = ''
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the server closed a socket')))
    socket.on('data', (data: Buffer) => {
      bytes += data.length
      if (opening.includes('"op":"ready"')) return
      if (!opening.includes('\r\n\r\n') && data.includes('\r\n\r\n')) {
        socket.write(masked({ op: 'auth', token }))
        socket.write(masked({ op: 'subscribe', symbols: ['BTCUSDT'] }))
      }
      opening += data.toString('latin1')
      if (opening.includes('"op":"ready"')) resolve()
    })
    socket.write(
      `GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
  })
  return { bytes: () => bytes, close: () => socket.destroy() }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.setNoDelay()
    socket.once('error', reject)
  })
}

/** Encodes a client's text message: final frame, masked by zeros. */
function masked(message: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(message))
  const head = text.length < 126 ? Buffer.from([0x81, 0x80 | text.length]) : Buffer.from([0x81, 0xfe, 0, text.length])
  return Buffer.concat([head, Buffer.alloc(4), text])
}
