import { createClient } from '@redis/client'
import type { Log } from '../log.ts'
import type { Transport } from './bus.ts'

const CHANNEL = 'cleartick'
const SILENT_MS = 5_000
const RETRY_MAX_MS = 2_000

/** The bus over Redis or Valkey: for many nodes, and to take the messages off the database. */
export function redisTransport(url: string, log: Log): Transport {
  const open = () =>
    createClient({
      url,
      // A message that can't be sent now is lost: it is a hint.
      disableOfflineQueue: true,
      pingInterval: SILENT_MS,
      socket: { connectTimeout: SILENT_MS, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, RETRY_MAX_MS) },
    })
  // A connection that listens can't send.
  const sender = open()
  const listener = open()
  let down = false
  let lostAt: number | undefined

  return {
    async start(hear, gap) {
      for (const client of [sender, listener]) {
        client.on('error', (error: Error) => {
          if (!down) log.warn({ error: error.message }, 'the bus lost its connection')
          down = true
          lostAt ??= performance.now()
        })
      }
      await Promise.all([sender.connect(), listener.connect()])
      await listener.subscribe(CHANNEL, (text) => {
        try {
          hear(text)
        } catch (error) {
          log.warn({ error: String(error) }, 'a message of another node was unreadable')
        }
      })
      // From the second time on it is a new connection.
      listener.on('ready', () => {
        down = false
        gap()
      })
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
      await Promise.allSettled([sender.close(), listener.close()])
    },
  }
}
