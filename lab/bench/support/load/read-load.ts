/** The load generator of lab/bench/installation/reads.ts: a separate process that sends one GET again and again. */
import { rawConnection, rawRequest } from './raw-http.ts'

export interface ReadLoad {
  port: number
  token: string
  path: string
  calls: number
  connections: number
}

process.once('message', (job: ReadLoad) => {
  run(job).then(
    () => process.send?.({}, () => process.exit(0)),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})

async function run({ port, token, path, calls, connections }: ReadLoad): Promise<void> {
  const request = rawRequest('GET', path, token)
  let left = calls
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const connection = await rawConnection(port)
      while (left-- > 0) {
        const { status, body } = await connection.send(request)
        if (status !== 200) throw new Error(`${path}: ${status} ${body}`)
      }
      connection.close()
    }),
  )
}
