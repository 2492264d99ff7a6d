import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../process/log.ts'
import type { Transport } from './transport.ts'

const CHANNEL = 'cleartick'
const SILENT_MS = 5_000
const RETRY_MAX_MS = 2_000

/**
 * The bus over Redis or Valkey: for many nodes, and to take the messages off the database. A node starts without it, as
 * messages are hints. `silentMs`: how long it may say nothing before it's asked, and how long it may take to answer.
 */
export async function redisTransport(url: string, log: Log, silentMs = SILENT_MS): Promise<Transport> {
  // Loaded only when used: loading it is a tenth of a node's start.
  const { createClient } = await import('@redis/client')
  const open = () =>
    createClient({
      url,
      // A message that can't be sent now is lost: it is a hint.
      disableOfflineQueue: true,
      pingInterval: silentMs,
      socket: {
        connectTimeout: silentMs,
        // A server that hangs, or a network that loses everything, ends no connection.
        socketTimeout: 2 * silentMs,
        reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, RETRY_MAX_MS),
      },
    })
  // A connection that listens can't send.
  const sender = open()
  const listener = open()
  let down = false
  let lostAt: number | undefined

  return {
    async start(receive, gap) {
      for (const client of [sender, listener]) {
        client.on('error', (error: Error) => {
          if (!down) log.warn({ error: error.message }, 'the bus lost its connection')
          down = true
          lostAt ??= performance.now()
        })
      }
      const listen = () =>
        listener.subscribe(CHANNEL, (text) => {
          try {
            receive(text)
          } catch (error) {
            log.warn({ error: String(error) }, 'a message of another node was unreadable')
          }
        })
      let isListening = false
      let isStarted = false
      const listening = new Promise<void>((resolve) => {
        listener.on('ready', async () => {
          down = false
          // The client subscribes again by itself after the first time.
          if (isListening) return gap()
          // A connection that broke at once: the next one subscribes.
          await listen().then(
            () => {
              isListening = true
              resolve()
              if (isStarted) gap()
            },
            () => undefined,
          )
        })
      })
      await Promise.race([
        Promise.all([sender.connect(), listener.connect(), listening]),
        sleep(silentMs, undefined, { ref: false }),
      ])
      isStarted = true
      if (!isListening) log.warn({}, 'starting without the messages of other nodes')
    },
    async send(texts) {
      await Promise.all(texts.map((text) => sender.publish(CHANNEL, text)))
    },
    lostSince() {
      if (sender.isReady && listener.isReady) lostAt = undefined
      else lostAt ??= performance.now()
      return lostAt
    },
    async stop() {
      const clients = [sender, listener]
      const closed = Promise.allSettled(clients.map(async (client) => client.isReady && client.close()))
      // A server that ends meanwhile may leave the last replies unanswered.
      const patience = new AbortController()
      await Promise.race([closed, sleep(silentMs, undefined, { signal: patience.signal }).catch(() => undefined)])
      patience.abort()
      for (const client of clients) if (client.isOpen) client.destroy()
    },
  }
}
