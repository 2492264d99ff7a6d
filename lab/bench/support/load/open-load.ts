/**
 * The load generator of lab/bench/trading/goodput.ts: a separate process that submits trades at a fixed rate whether or not earlier
 * ones were answered, as a crowd of independent traders would.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RawConnection, rawConnection, rawRequest } from './raw-http.ts'

export interface OpenLoad {
  port: number
  tokens: string[]
  seconds: number
  perSecond: number
  /** Requests that may wait for a response at the same time. Orders due beyond this number aren't sent. */
  connections: number
}
export interface Offered {
  /** Accepted per second while the load was offered. */
  accepted: number
  /** From the time at which an accepted order was due until its response, ms. */
  p50: number
  p99: number
  /** Responses that asked to try again later, with Retry-After. */
  busy: number
  unsent: number
  /** All other responses. */
  others: number
  /** Processor time used by this generator, in cores. */
  cores: number
}

process.once('message', (job: OpenLoad) => {
  run(job).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, tokens, seconds, perSecond, connections }: OpenLoad): Promise<Offered> {
  const body = JSON.stringify({
    symbol: 'BTCUSDT',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Buy',
    amount: 1,
    duration: 3600,
    strike_rate: '75/3',
    mode: 'demo',
  })
  const free: RawConnection[] = []
  for (let at = 0; at < connections; at += 100)
    free.push(...(await Promise.all(Array.from({ length: 100 }, () => rawConnection(port)))))
  const all = [...free]
  const times: number[] = []
  const count = { busy: 0, unsent: 0, others: 0 }
  const used = process.cpuUsage()
  const from = performance.now()
  const until = from + seconds * 1000

  async function submit(turn: number, due: number): Promise<void> {
    const connection = free.pop()
    if (!connection) {
      count.unsent++
      return
    }
    const token = tokens[turn % tokens.length]!
    const request = rawRequest('POST', '/api/trading/submit', token, body, randomUUID())
    const { status, hasRetryAfter } = await connection.send(request)
    free.push(connection)
    const now = performance.now()
    if (status === 200) {
      if (now <= until) times.push(now - due)
    } else if (status === 503 && hasRetryAfter) count.busy++
    else count.others++
  }

  const sent: Promise<void>[] = []
  for (let turn = 0; performance.now() < until; ) {
    const due = Math.floor(((performance.now() - from) / 1000) * perSecond)
    for (; turn < due; turn++) sent.push(submit(turn, from + (turn / perSecond) * 1000))
    await sleep(2)
  }
  const { user, system } = process.cpuUsage(used)
  const cores = (user + system) / 1e6 / seconds
  await Promise.all(sent)
  for (const connection of all) connection.close()
  times.sort((a, b) => a - b)
  const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN
  return { accepted: times.length / seconds, p50: at(0.5), p99: at(0.99), cores, ...count }
}
