import { readConfig } from '../config/config.ts'
import { keepTimelines } from '../platform/database/timelines.ts'
import { onBeat } from '../platform/process/beat.ts'
import { createLog } from '../platform/process/log.ts'
import { StartProblem } from '../platform/process/start-problem.ts'
import { collectStartupGarbage } from '../platform/process/startup-garbage.ts'
import { startApp } from './app.ts'
import { type NodeOrders, type NodeReport, STOP } from './node-messages.ts'

/** One node as a separate process, with the roles of `ROLES`. The supervisor (main.ts) starts it and stops it. */
async function main(): Promise<void> {
  const { orders, stop } = supervision()
  const { urls, inviteFirst } = await orders
  const config = readConfig()
  keepTimelines(config.dataDir)
  const log = createLog(config.LOG_LEVEL)
  const starting = startApp({ config, log, urls })
  stop
    .then(() => starting)
    .then((app) => app.stop())
    .then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error: String(error) }, 'shutdown failed')
        process.exit(1)
      },
    )
  let beats = 0
  onBeat(() => {
    if (beats++ % 2 === 0) report({ is: 'alive' })
  })
  // Without its supervisor, and so perhaps without its database, a node ends as in a crash: nothing is lost by that.
  process.on('disconnect', () => process.exit(1))

  const app = await starting
  const firstOperator = inviteFirst ? await app.firstOperator() : undefined
  report({ is: 'up', firstOperator, metricsPort: app.metricsPort })
  collectStartupGarbage()
}

/** What the supervisor says: the orders once, and later that this process is to stop. */
function supervision(): { orders: Promise<NodeOrders>; stop: Promise<void> } {
  // Ctrl-C, and often SIGTERM, reach the whole group of processes: the supervisor decides in which order they stop.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined)
  const orders = Promise.withResolvers<NodeOrders>()
  const stop = Promise.withResolvers<void>()
  process.on('message', (said: NodeOrders | typeof STOP) => (said === STOP ? stop.resolve() : orders.resolve(said)))
  return { orders: orders.promise, stop: stop.promise }
}

const report = (text: NodeReport) => process.send?.(text)

main().catch((error: unknown) => {
  if (error instanceof StartProblem) report({ is: 'problem', message: error.message })
  else process.stderr.write(`\nStart-up failed: ${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
})
