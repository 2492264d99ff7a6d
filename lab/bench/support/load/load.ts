/**
 * The load generator of lab/bench/trading/http.ts: a separate process that submits trades in closed loops over keep-alive
 * connections, optionally with the traders' sockets open.
 */
import { randomUUID } from 'node:crypto'
import { openListener, rawConnection, rawRequest } from './raw-http.ts'

export interface Load {
  port: number
  tokens: string[]
  seconds: number
  callers: number
  /** Whether every trader has a stream socket open. */
  listening: boolean
  /** Duration of each trade in seconds; an hour by default. */
  duration?: number
}
export interface Loaded {
  perSecond: number
  p99: number
  /** Processor time used by this generator, in cores. */
  cores: number
}

process.once('message', (job: Load) => {
  run(job).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, tokens, seconds, callers, listening, duration = 3_600 }: Load): Promise<Loaded> {
  const body = JSON.stringify({
    symbol: 'BTCUSDT',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Buy',
    amount: 1,
    duration,
    strike_rate: '75/3',
    mode: 'demo',
  })
  const listeners = listening ? await Promise.all(tokens.map((token) => openListener(port, token))) : []
  const connections = await Promise.all(Array.from({ length: callers }, () => rawConnection(port)))
  const used = process.cpuUsage()
  const until = performance.now() + seconds * 1000
  const times: number[] = []
  let accepted = 0
  await Promise.all(
    connections.map(async (connection, index) => {
      for (let turn = index; performance.now() < until; turn += callers) {
        const token = tokens[turn % tokens.length]!
        const begun = performance.now()
        const { status } = await connection.send(rawRequest('POST', '/api/trading/submit', token, body, randomUUID()))
        if (status === 200) accepted++
        times.push(performance.now() - begun)
      }
    }),
  )
  const { user, system } = process.cpuUsage(used)
  for (const open of [...connections, ...listeners]) open.close()
  times.sort((a, b) => a - b)
  if (accepted < times.length * 0.9) throw new Error(`only ${accepted} of ${times.length} were accepted`)
  return {
    perSecond: accepted / seconds,
    p99: times[Math.floor(times.length * 0.99)]!,
    cores: (user + system) / 1e6 / seconds,
  }
}
