import { type ChildProcess, fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Role } from '../config/config.ts'
import type { Log } from '../platform/process/log.ts'
import { StartProblem } from '../platform/process/start-problem.ts'
import { type NodeOrders, type NodeReport, STOP, type StartReport } from './node-messages.ts'

const NODE = fileURLToPath(new URL('node.ts', import.meta.url))
/** A node that ran for this long was well: when it dies, it is started again at once. */
const WELL_AFTER_MS = 10_000
const PAUSE_MS = { first: 250, most: 5_000 }
/**
 * A process that was silent at this many looks in a row hangs: it is killed, and started again. One that starts reads its
 * code first, which takes more than half a minute where a dozen programs share the processors.
 */
const SILENT_MAX = { running: 5, starting: 60 }
const LOOK_EVERY_MS = 2_000
/** Requests under way may take this long; then the process is killed. */
const STOP_WITHIN_MS = 25_000

/** What no node needs, and nobody who takes one over should find: the owner's login, and what opens backups. */
const KEPT_BACK = ['DATABASE_URL', 'DATABASE_APP_URL', 'BACKUP_URL', 'BACKUP_KEY', 'BACKUP_DATABASE_URL']
/** What only an engine needs: no request may reach the key that signs checkpoints. */
const ENGINE_ONLY = ['PROOF_KEY']

function environmentOf(role: Role): Record<string, string | undefined> {
  const withheld = role === 'engine' ? KEPT_BACK : [...KEPT_BACK, ...ENGINE_ONLY]
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !withheld.includes(name.replace(/_FILE$/, ''))),
  )
}

export interface Supervised {
  firstOperator: { url: string; email: string } | undefined
  /** Where monitoring reads it; undefined without `METRICS_PORT`. */
  metricsPort: number | undefined
  stop(): Promise<void>
}

interface NodeOptions {
  orders: NodeOrders
  port: number
  metricsPort: number | undefined
  log: Log
}

/**
 * Runs one role in a separate process, so that no work of one delays the other. Resolves once it is up; throws if it
 * can't start. If it dies later, it is started again: at once, and with growing pauses while it keeps dying.
 */
export async function supervise(role: Role, options: NodeOptions): Promise<Supervised> {
  const { log } = options
  let stopping = false
  let child = launch(role, options)
  let startedAt = performance.now()
  let restarting: Promise<void> = Promise.resolve()

  function watch(): void {
    child.once('exit', (code, signal) => {
      if (stopping) return
      log.error({ role, code, signal }, 'a process of this server died; starting it again')
      restarting = restart().then(watch)
    })
  }

  async function restart(): Promise<void> {
    for (let pause = performance.now() - startedAt > WELL_AFTER_MS ? 0 : PAUSE_MS.first; !stopping; ) {
      await sleep(pause)
      if (stopping) return
      startedAt = performance.now()
      child = launch(role, options)
      const report = await reported(child)
      if (report?.is === 'up') return
      if (report) log.error({ role, problem: report.message }, 'a process of this server does not start; trying again')
      pause = Math.min(Math.max(PAUSE_MS.first, pause * 2), PAUSE_MS.most)
    }
  }

  async function stop(): Promise<void> {
    stopping = true
    await stopChild(child)
    await restarting.catch(() => undefined)
    // It may have been started again at that very moment.
    await stopChild(child)
  }

  const report = await reported(child)
  if (report?.is === 'up') {
    watch()
    return { firstOperator: report.firstOperator, metricsPort: report.metricsPort, stop }
  }
  await stop()
  throw report ? new StartProblem(report.message) : new StartProblem('The server did not start. The reason is above.')
}

function launch(role: Role, options: NodeOptions): ChildProcess {
  const { log } = options
  const launched = fork(NODE, {
    env: {
      ...environmentOf(role),
      ROLES: role,
      PORT: String(options.port),
      ...(options.metricsPort === undefined ? {} : { METRICS_PORT: String(options.metricsPort) }),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  launched.on('error', (error) => log.error({ role, error: String(error) }, 'a process of this server failed'))
  launched.send(options.orders, () => undefined)
  killIfHung(launched, role, log)
  return launched
}

function killIfHung(launched: ChildProcess, role: Role, log: Log): void {
  let most = SILENT_MAX.starting
  let silent = 0
  const looking = setInterval(() => {
    if (silent++ < most) return
    log.error({ role }, 'a process of this server hangs; killing it')
    launched.kill('SIGKILL')
  }, LOOK_EVERY_MS)
  launched.on('message', ({ is }: NodeReport) => {
    silent = 0
    if (is === 'up') most = SILENT_MAX.running
  })
  launched.once('exit', () => clearInterval(looking))
}

/** Resolves with its first report; undefined if it ended without one. */
const reported = (launched: ChildProcess) =>
  new Promise<StartReport | undefined>((resolve) => {
    launched.on('message', (report: NodeReport) => {
      if (report.is !== 'alive') resolve(report)
    })
    launched.once('exit', () => resolve(undefined))
  })

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.send(STOP, () => undefined)
  const patience = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await ended
  clearTimeout(patience)
}
