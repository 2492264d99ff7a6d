import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TradeSide } from '#contract/terms.ts'
import { DAY_MS, MINUTE_MS, type Ms, SECOND_MS } from '#kernel/time.ts'
import { test } from '../test.ts'
import { settingsOf } from './server.ts'
import { followServerTime } from './server-time.ts'
import { tapeDatabaseOf } from './tape-databases.ts'
import type { Advance, TapeReport } from './tape-server.ts'

export interface Tape {
  origin: string
  dataDir: string
  /** Returns tape time. */
  now(): Promise<Ms>
  /**
   * Advances tape time by this much, with prices every five seconds or `stepMs`. Everything due by then is due at once.
   */
  advance(byMs: number, stepMs?: number): Promise<void>
  /** Advances past midnight, UTC, if it's less than this away: trades of so much time then end on one day. */
  toNextDayWithin(ms: number): Promise<void>
  /** Advances until the coin toss has signals; the last two seconds pass at the usual pace. */
  advanceToToss(side?: TradeSide): Promise<void>
  /** Kills the server, as a power cut would. */
  kill(): Promise<void>
  /** Starts it again on what it has left, with a tape that continues there. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** Starts a server whose tape a test advances; it begins a few minutes before a coin toss, for the side `TAPE_TOSS` if set. */
export async function startTape(settings: Record<string, string> = {}): Promise<Tape> {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-e2e-'))
  // When run as root, the database runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  const start = (more: Record<string, string> = {}) =>
    fork(join(import.meta.dirname, 'tape-server.ts'), {
      env: { ...settingsOf(dataDir), E2E_TAPES: process.env.E2E_TAPES, ...settings, ...more },
      execArgv: [],
    })
  let child = start()
  const TAPE_DATABASE = tapeDatabaseOf(child.pid!)
  const { port } = await reported(child)

  /** Sends one order after the other; returns the tape's time after it. */
  let last: Promise<unknown> = Promise.resolve()
  function order(what: Advance): Promise<Ms> {
    const done = last.then(async () => {
      const report = reported(child)
      child.send(what)
      return (await report).time
    })
    last = done.catch(() => undefined)
    return done
  }

  const advance = async (byMs: number, stepMs?: number) =>
    void (await order({ byMs, ...(stepMs === undefined ? {} : { stepMs }) }))
  const now = () => order({ byMs: 0 })

  return {
    origin: `http://localhost:${port}`,
    dataDir,
    now,
    advance,
    async toNextDayWithin(ms) {
      const left = DAY_MS - ((await now()) % DAY_MS)
      if (left < ms) await advance(left + SECOND_MS, MINUTE_MS)
    },
    advanceToToss: async (side) => void (await order({ toToss: side ?? 'any' })),
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
    async restart() {
      child = start({ TAPE_DATABASE, PORT: String(port) })
      await reported(child)
      last = Promise.resolve()
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Waits for the child's next report. */
function reported(child: ChildProcess): Promise<TapeReport> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`the server of the tests ended with ${code}`))
    child.once('exit', ended)
    child.once('message', (message: TapeReport) => {
      child.off('exit', ended)
      resolve(message)
    })
  })
}

/**
 * A test on a separate server for each worker, whose tape the test advances: trades that would take a minute take
 * seconds. What names the shared server elsewhere (`E2E_ORIGIN`, `E2E_DATA`) names this one.
 */
export const tapeTest = test.extend<object, { tape: Tape }>({
  tape: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names from the pattern
    async ({}, use) => {
      const tape = await startTape()
      const { E2E_ORIGIN, E2E_DATA } = process.env
      Object.assign(process.env, { E2E_ORIGIN: tape.origin, E2E_DATA: tape.dataDir })
      followServerTime(tape.now)
      await use(tape)
      followServerTime()
      Object.assign(process.env, { E2E_ORIGIN, E2E_DATA })
      await tape.stop()
    },
    { scope: 'worker', auto: true, timeout: 120_000 },
  ],
  baseURL: async ({ tape }, use) => use(tape.origin),
})
