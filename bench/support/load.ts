/** The load generator of bench/http.ts: a separate process that submits in closed loops over keep-alive connections. */
import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'

interface Job {
  port: number
  tokens: string[]
  seconds: number
  connections: number
}

process.once('message', (job: Job) => {
  run(job).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, tokens, seconds, connections }: Job): Promise<{ perSecond: number; p99: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const body = JSON.stringify({
    symbol: 'BTCUSDT',
    trading_type: 'Cryptocurrency',
    trade_mode: 'Buy',
    amount: 1,
    duration: 3600,
    strike_rate: '75/3',
    mode: 'demo',
  })
  const until = performance.now() + seconds * 1000
  const times: number[] = []
  let accepted = 0
  const submit = (token: string) =>
    new Promise<void>((resolve, reject) => {
      const call = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/api/trading/submit',
          headers: {
            'content-type': 'application/json',
            'content-length': body.length,
            authorization: `Bearer ${token}`,
            'idempotency-key': randomUUID(),
          },
        },
        (response) => {
          if (response.statusCode === 200) accepted++
          response.resume()
          response.once('end', resolve)
        },
      )
      call.once('error', reject)
      call.end(body)
    })
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      for (let turn = index; performance.now() < until; turn += connections) {
        const begun = performance.now()
        await submit(tokens[turn % tokens.length]!)
        times.push(performance.now() - begun)
      }
    }),
  )
  agent.destroy()
  times.sort((a, b) => a - b)
  if (accepted < times.length * 0.9) throw new Error(`only ${accepted} of ${times.length} were accepted`)
  return { perSecond: accepted / seconds, p99: times[Math.floor(times.length * 0.99)]! }
}
