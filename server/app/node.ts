import { readConfig } from '../config/config.ts'
import { keepTimelines } from '../platform/database/timelines.ts'
import { onBeat } from '../platform/process/beat.ts'
import { createLog } from '../platform/process/log.ts'
import { StartProblem } from '../platform/process/start-problem.ts'
import { collectStartupGarbage } from '../platform/process/startup-garbage.ts'
import { startApp } from './app.ts'

/** What the supervisor sends to a node that it has started. The address holds a password, so it isn't in the environment. */
export interface NodeOrders {
  /** The server's own login to the database: no node can change what the owner has set. */
  urls: { app: string }
  /** Make a link for the first operator, if there is none yet. */
  inviteFirst: boolean
}

/** What a node reports once it is up, or why it can't start. */
export type StartReport =
  | { is: 'up'; firstOperator: { url: string; email: string } | undefined; metricsPort: number | undefined }
  /** The operator must do something before it can start. */
  | { is: 'problem'; message: string }

/** What a node reports to its supervisor; `alive` every two seconds. */
export type NodeReport = StartReport | { is: 'alive' }

/** One node as a separate process, with the roles of `ROLES`. The supervisor (main.ts) starts it and stops it. */
async function main(): Promise<void> {
  const orders = await new Promise<NodeOrders>((resolve) => process.once('message', resolve))
  const config = readConfig()
  keepTimelines(config.dataDir)
  const log = createLog(config.LOG_LEVEL)
  let stopping = false
  const starting = startApp({ config, log, urls: orders.urls })

  // Ctrl-C reaches the whole group of processes; the supervisor decides in which order they stop.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => {
    if (stopping) return
    stopping = true
    starting
      .then((app) => app.stop())
      .then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ error: String(error) }, 'shutdown failed')
          process.exit(1)
        },
      )
  })
  let beats = 0
  onBeat(() => {
    if (beats++ % 2 === 0) report({ is: 'alive' })
  })
  // Without its supervisor, and so perhaps without its database, a node ends as in a crash: nothing is lost by that.
  process.on('disconnect', () => process.exit(1))

  const app = await starting
  const firstOperator = orders.inviteFirst ? await app.firstOperator() : undefined
  report({ is: 'up', firstOperator, metricsPort: app.metricsPort })
  collectStartupGarbage()
}

const report = (text: NodeReport) => process.send?.(text)

main().catch((error: unknown) => {
  if (error instanceof StartProblem) report({ is: 'problem', message: error.message })
  else process.stderr.write(`\nStart-up failed: ${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
})
