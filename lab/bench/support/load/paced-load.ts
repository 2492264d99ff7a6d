/**
 * The load generator of lab/bench/trading/lateness.ts: a separate process that submits trades at an even rate while every trader
 * has a socket open.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { openListener, rawConnection, rawRequest } from './raw-http.ts'

export interface PacedLoad {
  port: number
  tokens: string[]
  seconds: number
  perSecond: number
}
export interface Paced {
  perSecond: number
  p99: number
}

/** Enough as long as responses take less than a tenth of a second. */
const CONNECTIONS = 200

process.once('message', (job: PacedLoad) => {
  run(job).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, tokens, seconds, perSecond }: PacedLoad): Promise<Paced> {
  const body = JSON.stringify({
    symbol: 'BTCUSDT',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Buy',
    amount: 1,
    duration: 3600,
    strike_rate: '75/3',
    mode: 'demo',
  })
  const listeners = await Promise.all(tokens.map((token) => openListener(port, token)))
  const connections = await Promise.all(Array.from({ length: CONNECTIONS }, () => rawConnection(port)))
  const from = performance.now()
  const times: number[] = []
  let next = 0
  let accepted = 0
  await Promise.all(
    connections.map(async (connection) => {
      for (;;) {
        const turn = next++
        const due = from + (turn / perSecond) * 1000
        if (due > from + seconds * 1000) return
        const early = due - performance.now()
        if (early > 0) await sleep(early)
        const token = tokens[turn % tokens.length]!
        const { status } = await connection.send(rawRequest('POST', '/api/trading/submit', token, body, randomUUID()))
        if (status === 200) accepted++
        times.push(performance.now() - due)
      }
    }),
  )
  for (const open of [...connections, ...listeners]) open.close()
  times.sort((a, b) => a - b)
  return { perSecond: accepted / seconds, p99: times[Math.floor(times.length * 0.99)]! }
}
