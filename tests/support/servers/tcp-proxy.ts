import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on this machine whose connections can be cut or stalled. */
export interface TcpProxy {
  port: number
  /** Cuts every open connection. Returns how many. */
  cut(): number
  /** Delivers the next `count` requests, and cuts each connection before its response. */
  loseReplies(count: number): void
  /** Returns how many replies are still to be lost. */
  toLose(): number
  /** Keeps connections open without passing anything on, as a network partition does. */
  stall(isStalled: boolean): void
  /** Stalls the connections that are open now; new ones work. */
  freeze(): void
  /** Cuts every connection, and each new one immediately, as if nothing listened. */
  refuse(isRefused: boolean): void
  close(): Promise<void>
}

/** Forwards connections to the port that `target` returns at that moment. */
export async function tcpProxy(target: () => number): Promise<TcpProxy> {
  const pairs = new Set<{ client: Socket; upstream: Socket }>()
  let lose = 0
  let stalled = false
  let refused = false
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (refused) return client.destroy()
    const upstream = connect(target(), '127.0.0.1')
    const pair = { client, upstream }
    let losing = false
    pairs.add(pair)
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      socket.on('error', end)
      socket.on('close', end)
      if (stalled) socket.pause()
    }
    client.on('data', (bytes) => {
      if (lose > 0 && !losing) {
        lose--
        losing = true
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (losing) end()
      else client.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  function cut(): number {
    const count = pairs.size
    for (const { client, upstream } of [...pairs]) {
      client.destroy()
      upstream.destroy()
    }
    return count
  }

  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut,
    loseReplies(count) {
      lose = count
    },
    toLose: () => lose,
    stall(isStalled) {
      stalled = isStalled
      for (const { client, upstream } of pairs)
        for (const socket of [client, upstream]) {
          if (isStalled) socket.pause()
          else socket.resume()
        }
    },
    freeze() {
      for (const { client, upstream } of pairs) for (const socket of [client, upstream]) socket.pause()
    },
    refuse(isRefused) {
      refused = isRefused
      if (refused) cut()
    },
    async close() {
      cut()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
