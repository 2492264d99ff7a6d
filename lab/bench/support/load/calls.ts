/**
 * The load generator of lab/bench/installation/desk.ts: a separate process that makes each call of a list once, over keep-alive
 * connections.
 */
import { Agent, request } from 'node:http'

export interface Calls {
  port: number
  calls: { token: string; method: string; path: string; body?: unknown }[]
  connections: number
}
export interface CallsDone {
  /** Milliseconds, sorted. */
  times: number[]
  /** Number of responses per status. */
  statuses: Record<number, number>
}

process.once('message', (job: Calls) => {
  run(job).then(
    (result) => process.send?.(result, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, calls, connections }: Calls): Promise<CallsDone> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times: number[] = []
  const statuses: Record<number, number> = {}
  let next = 0
  const send = ({ token, method, path, body }: Calls['calls'][number]) =>
    new Promise<void>((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body)
      const call = request(
        {
          agent,
          host: '127.0.0.1',
          port,
          method,
          path,
          headers: {
            authorization: `Bearer ${token}`,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        (response) => {
          const status = response.statusCode ?? 0
          statuses[status] = (statuses[status] ?? 0) + 1
          response.resume()
          response.once('end', resolve)
        },
      )
      call.once('error', reject)
      call.end(text)
    })
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let call = calls[next++]; call; call = calls[next++]) {
        const begun = performance.now()
        await send(call)
        times.push(performance.now() - begun)
      }
    }),
  )
  agent.destroy()
  return { times: times.sort((a, b) => a - b), statuses }
}
