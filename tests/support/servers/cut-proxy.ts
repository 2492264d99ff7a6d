import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A proxy to PostgreSQL whose connections a test can cut at the worst moment. */
interface CutProxy {
  /** The same address, through the proxy. */
  url: string
  /** Delivers the next request of the client, then cuts the connection before the response. */
  loseNextReply(): void
  /** Cuts the connection before the next request of the client is delivered. */
  loseNextRequest(): void
  /** Ends the session right after the response to the next request that contains this text, in the same packet. */
  endAfter(text: string): void
}

/** The error that PostgreSQL sends to a session that it ends. */
const FAREWELL = message('E', [
  'SFATAL',
  'VFATAL',
  'C57P01',
  'Mterminating connection due to administrator command',
  '',
])
/** The end of a response outside of a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I')

function message(type: string, fields: readonly string[]): Buffer {
  const body = Buffer.from(fields.map((field) => `${field}\0`).join(''))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

export async function cutProxy(databaseUrl: string): Promise<CutProxy> {
  const target = new URL(databaseUrl)
  let armed: 'reply' | 'request' | undefined
  let last: string | undefined
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    let losing = false
    let ending = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => sockets.delete(socket))
    }
    client.on('data', (bytes) => {
      if (armed === 'request') {
        armed = undefined
        upstream.destroy()
        client.destroy()
        return
      }
      if (armed === 'reply') {
        armed = undefined
        losing = true
      }
      if (last !== undefined && bytes.includes(last)) {
        last = undefined
        ending = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (losing) {
        client.destroy()
        upstream.destroy()
      } else if (ending && bytes.subarray(-6).equals(READY)) {
        client.end(Buffer.concat([bytes, FAREWELL]))
        upstream.destroy()
      } else client.write(bytes)
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const address = server.address()
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' ? address?.port : '')
  return {
    url: url.href,
    loseNextReply: () => {
      armed = 'reply'
    },
    endAfter: (text) => {
      last = text
    },
    loseNextRequest: () => {
      armed = 'request'
    },
  }
}
