import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { must } from '#kernel/must.ts'
import { ALL_ROLES, type Config, givenSeed, type Role, readConfig, realPathOf } from '../config/config.ts'
import { migrate, waitForDatabase, waitForSchema } from '../platform/database/migrate.ts'
import { keepTimelines } from '../platform/database/timelines.ts'
import { freePort, startEmbedded } from '../platform/postgres/embedded.ts'
import { externalUrls, provision } from '../platform/postgres/provision.ts'
import { archiveSettings } from '../platform/postgres/wal.ts'
import { lockData } from '../platform/process/data-lock.ts'
import { createLog, type Log } from '../platform/process/log.ts'
import { StartProblem } from '../platform/process/start-problem.ts'
import { collectStartupGarbage } from '../platform/process/startup-garbage.ts'
import { type Supervised, supervise } from './supervise.ts'

const WEB = fileURLToPath(new URL('../../build', import.meta.url))
const PORT_FREE_WITHIN_MS = 1_000

/**
 * Starts the server: data lock, database, then each of its roles as a process that is started again if it dies. Prints
 * the addresses; stops everything in order on Ctrl-C.
 */
async function main(): Promise<void> {
  const config = withDataFolder(readConfig())
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

  onSignal(stop, log)

  try {
    const started = performance.now()
    refuseSplitWithoutSharing(config)
    refuseSharedPort(config)
    refuseMissingBuild(config)
    keepTimelines(config.dataDir)
    const port = await choosePort(config)
    const urls = await openDatabaseServer(config, log, endings)
    if (stopping !== undefined) return
    if (urls.owner === undefined) await waitForSchema(urls.app, say)
    else await migrate(urls.owner, { say })
    if (stopping !== undefined) return
    // In production the host creates the invitation: only a test installation may log a link that others could use.
    const orders = { urls: { app: urls.app }, inviteFirst: !config.production }
    const up = new Map<Role, Supervised>()
    // The web first: what its clients still do needs the engine.
    endings.push(async () => {
      for (const role of ['web', 'engine'] as const) await up.get(role)?.stop()
    })
    const nodes = await Promise.all(
      config.ROLES.map(async (role, at) => {
        const node = await supervise(role, { orders, port, metricsPort: metricsPort(config, at), log })
        up.set(role, node)
        // Ctrl-C came while it started.
        if (stopping !== undefined) await node.stop()
        return node
      }),
    )
    if (stopping !== undefined) return
    const first = nodes.find(({ firstOperator }) => firstOperator !== undefined)?.firstOperator
    const monitored = nodes.flatMap((node, at) =>
      node.metricsPort === undefined ? [] : [{ role: must(config.ROLES[at]), port: node.metricsPort }],
    )
    announce(config, { port, monitored, tookMs: performance.now() - started, first })
    collectStartupGarbage()
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

/** Stops the server on Ctrl-C, or when the system asks. */
function onSignal(stop: () => Promise<void>, log: Log): void {
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
}

/** Without the owner's login where this node may not migrate. */
async function openDatabaseServer(
  config: Config,
  log: Log,
  endings: (() => Promise<void>)[],
): Promise<{ owner: string | undefined; app: string }> {
  const { DATABASE_URL, DATABASE_APP_URL, MIGRATIONS } = config
  if (MIGRATIONS === 'wait' && DATABASE_APP_URL) return { owner: undefined, app: DATABASE_APP_URL }
  if (MIGRATIONS === 'wait' || (DATABASE_APP_URL && !DATABASE_URL))
    throw new StartProblem(
      "MIGRATIONS=wait and DATABASE_APP_URL belong together: a node that signs in with the server's login only waits until another has migrated the database. For a node that migrates, set DATABASE_URL.",
    )
  if (DATABASE_URL) await waitForDatabase(DATABASE_URL, say)
  if (DATABASE_URL && DATABASE_APP_URL) return { owner: DATABASE_URL, app: DATABASE_APP_URL }
  if (DATABASE_URL) return externalUrls(DATABASE_URL)
  const lock = await lockData(config.dataDir)
  endings.push(() => lock.release())
  const postgres = await startEmbedded({
    dataDir: config.dataDir,
    log,
    settings: archiveSettings(config.WAL_ARCHIVE),
  })
  endings.push(() => postgres.stop())
  return provision(postgres.superUrl, config.dataDir)
}

/** Commands use the folder of an installation; only a start creates one. */
function withDataFolder(config: Config): Config {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o711 })
  return { ...config, dataDir: realPathOf(config.dataDir) }
}

/** Roles on several machines share a database and the key of private files. */
function refuseSplitWithoutSharing({ ROLES, DATABASE_URL, DATABASE_APP_URL, FILES_KEY }: Config): void {
  if (ROLES.length === ALL_ROLES.length) return
  if (!DATABASE_URL && !DATABASE_APP_URL)
    throw new StartProblem(`ROLES=${ROLES.join()} needs DATABASE_URL: the other roles work on the same database.`)
  if (ROLES.includes('web') && !FILES_KEY)
    throw new StartProblem(
      `ROLES=${ROLES.join()} needs FILES_KEY: every node must read what another has encrypted. Copy it from DATA_DIR/files.key of the first one, and let all use one bucket (FILES_URL).`,
    )
}

/** Each process has its own port for monitoring: the one in the setting, and the next. */
const metricsPort = ({ METRICS_PORT }: Config, at: number): number | undefined =>
  METRICS_PORT === undefined || METRICS_PORT === 0 ? METRICS_PORT : METRICS_PORT + at

function refuseSharedPort(config: Config): void {
  const taken = config.ROLES.findIndex((_, at) => metricsPort(config, at) === config.PORT)
  if (taken < 0 || config.PORT === 0 || !config.ROLES.includes('web')) return
  throw new StartProblem(
    `METRICS_PORT=${config.METRICS_PORT} means port ${config.PORT} for the metrics of the ${config.ROLES[taken]}, and PORT is the same. Choose another METRICS_PORT.`,
  )
}

/** In production, a web without its pages would report itself up. */
function refuseMissingBuild({ production, ROLES }: Config): void {
  if (!production || !ROLES.includes('web') || existsSync(join(WEB, 'client', 'index.html'))) return
  throw new StartProblem('The web app is not built. Run node scripts/ready.mjs build in the folder of the project.')
}

/** Returns the port to listen on: the same one after a crash, also if any would do. */
async function choosePort({ PORT, HOST }: Config): Promise<number> {
  // A server that was killed a moment ago may leave it taken for an instant.
  for (const until = performance.now() + PORT_FREE_WITHIN_MS; ; await sleep(50)) {
    const port = await freePort(PORT, HOST)
    if (port !== undefined) return port
    if (performance.now() > until) break
  }
  throw new StartProblem(`Another program is using port ${PORT}. Choose another port: PORT=${PORT + 1} npm start`)
}

function announce(
  config: Config,
  started: {
    port: number
    monitored: readonly { role: Role; port: number }[]
    tookMs: number
    first: { url: string; email: string } | undefined
  },
): void {
  const { port, monitored, tookMs, first } = started
  const metrics = monitored.map(
    (node) => ['Metrics', `http://${config.METRICS_HOST}:${node.port}/metrics   (${node.role})`] as [string, string],
  )
  if (!config.ROLES.includes('web')) {
    say(`${config.BRAND}'s engine is up (${(tookMs / 1000).toFixed(1)} s). Stop with Ctrl-C.\n`, ...metrics.map(asLine))
    return
  }
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
    ...metrics,
  ]
  const lines = [`${config.BRAND} is up (${(tookMs / 1000).toFixed(1)} s).\n`, ...rows.map(asLine)]
  if (!config.production) {
    const [kind] = config.FEED.split(':')
    lines.push(`\n  Test installation: ${PRICES[must(kind)]}, money is play money, and e-mails stay here.`)
    if (givenSeed(config.FEED) !== undefined)
      lines.push('  Warning: the prices follow from the seed in FEED. Anyone who knows it can compute the next ones.')
  }
  say(...lines, '  Stop with Ctrl-C.\n')
}

const asLine = ([name, value]: readonly [string, string]) => `  ${name.padEnd(10)}${value}`

const PRICES: Record<string, string> = {
  auto: 'prices are live if exchanges can be reached and simulated otherwise',
  live: 'prices are live',
  replay: 'prices are replayed',
  simulation: 'prices are simulated',
}
/** Prints lines, all at once: a program that waits for the first also has the last. */
const say = (...lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`)

main().catch((error: unknown) => {
  process.stderr.write(
    error instanceof StartProblem
      ? `\n${error.message}\n`
      : `\nStart-up failed: ${error instanceof Error ? error.stack : String(error)}\n`,
  )
  process.exit(1)
})
