/**
 * The reference of lab/bench/prices/fanout.ts: a bare server of the library `ws` that replays recorded messages at their original
 * times to every connected client.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocketServer } from 'ws'
import { answerAsHelper } from './children.ts'

/** A message, and when it was sent, counted from the first one. */
export interface Sent {
  atMs: number
  text: string
}
export type PlainJob = { do: 'listen' } | { do: 'send'; sent: Sent[] }

const server = new WebSocketServer({
  host: '127.0.0.1',
  port: 0,
  perMessageDeflate: false,
  maxPayload: 4096,
  backlog: 4096,
})
const listening = new Promise((resolve) => server.once('listening', resolve))

answerAsHelper<PlainJob>(async (job) => {
  if (job.do === 'listen') {
    await listening
    return { port: (server.address() as { port: number }).port }
  }
  const from = performance.now()
  for (const { atMs, text } of job.sent) {
    await sleep(Math.max(0, from + atMs - performance.now()))
    const bytes = Buffer.from(text)
    for (const client of server.clients) client.send(bytes, { binary: false })
  }
  return {}
})
