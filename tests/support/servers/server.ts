import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { usd } from '#kernel/money.ts'
import { type Database, inTransaction, openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { registration } from '../people/identity.ts'
import { fund } from '../trades/money.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
/** The environment that every process of ours inherits: the path, and the cache of compiled code. */
export const inherited: Record<string, string> = Object.fromEntries(
  ['PATH', 'NODE_COMPILE_CACHE'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  ),
)

/** The whole server as a separate process, as `npm start` runs it. */
export interface ServerProcess {
  /** `http://127.0.0.1:PORT`; no port without the role `web`. */
  origin: string
  pid: number
  /** Everything printed so far, including errors. */
  output(): string
  /** Sends a signal and waits for the process to exit; returns the exit code, null if the signal killed it. */
  end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<number | null>
}

interface Launched {
  child: ChildProcess
  output(): string
  /** The exit code; null if a signal killed the process. */
  ended: Promise<number | null>
}

/** A limit for busy machines: alone, it takes two seconds. */
const UP_WITHIN_MS = 60_000

const running = new Set<ChildProcess>()

/** Starts a file of the project with these settings and nothing else from the environment. */
export function launch(file: string, env: Record<string, string>, args: string[] = []): Launched {
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    cwd: ROOT,
    env: {
      ...inherited,
      PORT: '0',
      RATE_LIMITS: 'x1000',
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      output += bytes
    })
  }
  const ended = new Promise<number | null>((resolve) =>
    child.once('close', (code) => {
      running.delete(child)
      resolve(code)
    }),
  )
  return { child, output: () => output, ended }
}

/**
 * Starts the server on a data folder and waits until it reports that it is up. Throws with the server's output if it
 * doesn't.
 */
export async function startServer(dataDir: string, env: Record<string, string> = {}): Promise<ServerProcess> {
  const { child, output, ended } = launch('server/app/main.ts', { DATA_DIR: dataDir, FEED: 'simulation', ...env })
  const answers = env.ROLES === undefined || env.ROLES.includes('web')
  let over = false
  void ended.then(() => {
    over = true
  })
  for (let waitedMs = 0; !/is up/.test(output()) || (answers && !/Site +http/.test(output())); waitedMs += 20) {
    if (over || waitedMs > UP_WITHIN_MS) throw new Error(`the server did not come up:\n${output()}`)
    await sleep(20)
  }
  const port = /Site +http:\/\/localhost:(\d+)/.exec(output())?.[1]
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    output,
    end(signal) {
      child.kill(signal)
      return ended
    },
  }
}

/**
 * Creates a folder that PostgreSQL can access as a different user. Processes still using it are stopped at the end of
 * the test.
 */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-fault-'))
  chmodSync(folder, 0o711)
  onTestFinished(() => discard(folder))
  return folder
}

/** Stops any processes that a failed test has left running, and removes the folder. */
export async function discard(folder: string): Promise<void> {
  for (const child of running) if (child.spawnargs.length > 0) child.kill('SIGKILL')
  const postmaster = postmasterOf(folder)
  if (postmaster) process.kill(postmaster, 'SIGKILL')
  await sleep(50)
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Returns the process id of the PostgreSQL that runs on a data folder. */
export function postmasterOf(dataDir: string): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  const runs = existsSync(`/proc/${pid}/cmdline`) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir)
  return runs ? pid : undefined
}

/** Opens the database of a running server as the superuser. Close it when done. */
export function openSuper(dataDir: string): Database {
  const url = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
  return openDatabase(url, { max: 4, name: 'onlooker', log: createLog('silent') })
}

export async function call(
  server: Pick<ServerProcess, 'origin'>,
  method: string,
  path: string,
  given: { token?: string; key?: string; body?: unknown } = {},
): Promise<{ status: number; json: Record<string, unknown> }> {
  const response = await fetch(`${server.origin}/api${path}`, {
    method,
    headers: {
      ...(given.token ? { authorization: `Bearer ${given.token}` } : {}),
      ...(given.key ? { 'idempotency-key': given.key } : {}),
      ...(given.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(given.body === undefined ? {} : { body: JSON.stringify(given.body) }),
    signal: AbortSignal.timeout(15_000),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

export interface Trader {
  userId: bigint
  token: string
}

/** Registers traders, signs them in, and gives each 20,000.00 of real money. */
export async function traders(
  server: Pick<ServerProcess, 'origin'>,
  dataDir: string,
  count: number,
): Promise<Trader[]> {
  const people = await Promise.all(
    Array.from({ length: count }, async () => {
      const form = registration()
      const registered = await call(server, 'POST', '/auth/register', { body: form })
      if (registered.status !== 200) throw new Error(JSON.stringify(registered.json))
      const { email, password } = form
      const { json } = await call(server, 'POST', '/auth/login', { body: { email, password } })
      return { email, token: (json.tokens as { access: { token: string } }).access.token }
    }),
  )
  const { db, close } = openSuper(dataDir)
  try {
    const rows = await db.selectFrom('users').select(['id', 'email']).execute()
    const idOf = new Map(rows.map((row) => [row.email, row.id]))
    return await Promise.all(
      people.map(async ({ email, token }) => {
        const userId = idOf.get(email)!
        await inTransaction(db, (tx) => fund(tx, userId, usd(2_000_000n)))
        return { userId, token }
      }),
    )
  } finally {
    await close()
  }
}

/** Copies a data folder whose server has been stopped. */
export function copyData(from: string, to: string): void {
  const done = spawnSync('cp', ['-a', `${from}/.`, to], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(done.stderr)
}
