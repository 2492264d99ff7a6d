import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { ServerMessage } from '#contract/messages/push.ts'
import type { Client } from '../client.ts'
import type { Journal } from '../journal.ts'
import type { Product } from '../world.ts'

const ACCEPTED_WITHIN_MS = 10_000
const PUSHED_WITHIN_MS = 8_000

/**
 * Places a trade and waits on its trader's socket for the entry, which passes through the engine, the bus and the web.
 * Returns what was missing.
 */
export async function pushMissing(world: Product, client: Client, journal: Journal): Promise<string[]> {
  const trader = 0
  const token = await client.tokenOf(trader)
  const entered = new Set<string>()
  const socket = new WebSocket(`${world.origin.replace('http', 'ws')}/api/stream`)
  try {
    const ready = new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('the socket closed')))
      socket.on('open', () => socket.send(JSON.stringify({ op: 'auth', token })))
      socket.on('message', (data) => {
        const message = JSON.parse(String(data)) as ServerMessage
        if (message.op === 'ready') resolve()
        if (message.op === 'trade' && message.data.start_price !== undefined) entered.add(message.data.trade_id)
      })
    })
    await ready
    const tradeId = await place()
    if (tradeId === undefined) return [`no trade was accepted within ${ACCEPTED_WITHIN_MS} ms`]
    for (const until = performance.now() + PUSHED_WITHIN_MS; performance.now() < until; await sleep(20))
      if (entered.has(tradeId)) return []
    return [`the entry of trade ${tradeId} was not pushed within ${PUSHED_WITHIN_MS} ms`]
  } catch (error) {
    return [`a trader's socket: ${error}`]
  } finally {
    socket.terminate()
  }

  async function place(): Promise<string | undefined> {
    for (const until = performance.now() + ACCEPTED_WITHIN_MS; performance.now() < until; await sleep(250)) {
      const entry = journal.add(`push-${journal.entries.length}`, {
        kind: 'trade',
        trader,
        mode: 'demo',
        symbol: 'BTCUSDT',
        side: 'Buy',
        cents: 115,
      })
      do entry.outcome = await client.perform(entry)
      while (entry.outcome.kind === 'unknown' && performance.now() < until)
      if (entry.outcome.kind === 'acknowledged') return entry.outcome.id
    }
    return undefined
  }
}
