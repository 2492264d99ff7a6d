import { startApp } from './app.ts'
import { type Config, readConfig } from './config.ts'
import { lockData } from './platform/data-lock.ts'
import { createLog } from './platform/log.ts'
import { freePort, startEmbedded } from './platform/postgres/embedded.ts'
import { externalUrls, provision } from './platform/postgres/provision.ts'
import { StartProblem } from './platform/start-problem.ts'

/** Starts the server as a process: lock, database, application; prints its addresses; stops in order on Ctrl-C. */
async function main(): Promise<void> {
  const config = readConfig()
  const log = createLog(config.LOG_LEVEL)
  // Everything started is stopped in reverse order, also when a later step fails.
  const endings: (() => Promise<void>)[] = []
  let stopping: Promise<void> | undefined
  const stop = () => {
    stopping ??= (async () => {
      for (const end of endings.reverse()) await end()
    })()
    return stopping
  }

  const quit = (signal: string) => {
    say(`\n${signal === 'SIGINT' ? 'Ctrl-C' : signal}: finishing open requests…`)
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error: String(error) }, 'shutdown failed')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => quit(signal))

  try {
    const started = performance.now()
    await refuseBusyPort(config)
    const urls = await openDatabaseServer()
    if (stopping !== undefined) return
    const app = await startApp({ config, log, urls })
    endings.push(() => app.stop())
    if (stopping !== undefined) return
    // In production the host creates the invitation: only a test installation may log a link that others could use.
    const first = config.production ? undefined : await app.firstOperator()
    announce(config, app.port, performance.now() - started, first)
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }

  async function openDatabaseServer() {
    if (config.DATABASE_URL && config.DATABASE_APP_URL)
      return { owner: config.DATABASE_URL, app: config.DATABASE_APP_URL }
    if (config.DATABASE_URL) return externalUrls(config.DATABASE_URL)
    const lock = await lockData(config.dataDir)
    endings.push(() => lock.release())
    const postgres = await startEmbedded({ dataDir: config.dataDir, log })
    endings.push(() => postgres.stop())
    return provision(postgres.superUrl, config.dataDir)
  }
}

async function refuseBusyPort({ PORT, HOST }: Config): Promise<void> {
  if (PORT === 0 || (await freePort(PORT, HOST))) return
  throw new StartProblem(`Another program is using port ${PORT}. Choose another port: PORT=${PORT + 1} npm start`)
}

function announce(
  config: Config,
  port: number,
  tookMs: number,
  first: { url: string; email: string } | undefined,
): void {
  const address = config.PUBLIC_URL ?? `http://localhost:${port}`
  const rows: [string, string][] = [
    ['Site', `${address}/`],
    ['Sign up', `${address}/auth/signup`],
    ['Sign in', `${address}/auth/signin`],
    ...(config.mailbox
      ? ([['Mailbox', `${address}/mailbox   (e-mails that would have been sent)`]] as [string, string][])
      : []),
    [
      'Desk',
      first
        ? `${first.url}\n            (the first operator signs up here as ${first.email}; expires in 15 minutes)`
        : `${address}/desk`,
    ],
    ['API', `${address}/api/docs`],
  ]
  say(`${config.BRAND} is up (${(tookMs / 1000).toFixed(1)} s).\n`)
  for (const [name, value] of rows) say(`  ${name.padEnd(10)}${value}`)
  if (!config.production) {
    const source = config.FEED.startsWith('replay:') ? 'replayed' : 'simulated'
    say(
      `\n  Test installation: prices are ${config.FEED.startsWith('live:') ? 'live' : source}, money is play money, and e-mails stay here.`,
    )
  }
  say('  Stop with Ctrl-C.\n')
}

const say = (text: string) => process.stdout.write(`${text}\n`)

main().catch((error: unknown) => {
  process.stderr.write(
    error instanceof StartProblem
      ? `\n${error.message}\n`
      : `\nStart-up failed: ${error instanceof Error ? error.stack : String(error)}\n`,
  )
  process.exit(1)
})
