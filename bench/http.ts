/**
 * Accepted trades through HTTP, with real tokens: the product's route compared with the same route with one statement
 * per trade over a pool of 16 connections, on the same PostgreSQL, slices interleaved. A separate process generates the
 * load.
 *
 * node bench/http.ts [rounds] [seconds a slice] [connections]
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startApp } from '#server/app.ts'
import { readConfig } from '#server/config.ts'
import { openConnection } from '#server/platform/connection.ts'
import { createLog } from '#server/platform/log.ts'
import { type AcceptanceQueue, acceptanceQueue } from '#server/trading/acceptance.ts'
import { checkInvariants } from './support/invariants.ts'
import { benchPostgres, median } from './support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 4)
const SECONDS = Number(process.argv[3] ?? 3)
const CONNECTIONS = Number(process.argv[4] ?? 64)
const USERS = 60
const POOL = 16

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-http-'))
try {
  const log = createLog('error')
  const config = (port: number) =>
    readConfig({ PORT: String(port), DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' })
  const batched = await startApp({ config: config(0), log, urls: postgres.urls })
  const single = await startApp({ config: config(0), log, urls: postgres.urls, queue: oneByOne() })
  const tokens = await signUp(batched.port)
  console.log(`${USERS} users signed in`)

  await load(batched.port, tokens, 1)
  await load(single.port, tokens, 1)
  const ratios: number[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    const reference = await load(single.port, tokens, SECONDS)
    const ours = await load(batched.port, tokens, SECONDS)
    ratios.push(ours.perSecond / reference.perSecond)
    console.log(
      `round ${round}: a statement a trade ${reference.perSecond.toFixed(0)}/s (p99 ${reference.p99.toFixed(0)} ms), in batches ${ours.perSecond.toFixed(0)}/s (p99 ${ours.p99.toFixed(0)} ms), x${ratios.at(-1)!.toFixed(2)}`,
    )
  }
  console.log(
    `accepted through HTTP, ${CONNECTIONS} connections: ${median(ratios).toFixed(2)} times a statement a trade (at least 3 wanted)`,
  )
  await single.stop()
  await batched.stop()
  await checkInvariants(postgres.superUrl)
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** The reference: the same statement for a single trade, over a pool. */
function oneByOne(): AcceptanceQueue {
  const queues = Array.from({ length: POOL }, () =>
    acceptanceQueue({
      connection: openConnection(postgres.urls.app, 'bench', createLog('error')),
      openStakeMax: () => 10_000_000n,
      log: createLog('error'),
      batchMax: 1,
    }),
  )
  let next = 0
  return {
    submit: (order) => queues[next++ % POOL]!.submit(order),
    drain: async () => {
      await Promise.all(queues.map((queue) => queue.drain()))
    },
  }
}

async function signUp(port: number): Promise<string[]> {
  const call = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { tokens?: { access: { token: string } } }
  }
  const tokens: string[] = []
  for (let user = 0; user < USERS; user++) {
    const email = `bench${user}@example.com`
    await call('/auth/register', {
      firstname: 'Bench',
      lastname: 'User',
      email,
      phone: '1234567890',
      password: 'bench-password',
      confirmPassword: 'bench-password',
    })
    const { tokens: given } = await call('/auth/login', { email, password: 'bench-password' })
    if (!given) throw new Error('a bench user could not sign in')
    tokens.push(given.access.token)
  }
  return tokens
}

function load(port: number, tokens: string[], seconds: number): Promise<{ perSecond: number; p99: number }> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./support/load.ts', import.meta.url), { stdio: 'inherit' })
    child.once('message', (result) => resolve(result as { perSecond: number; p99: number }))
    child.once('error', reject)
    child.send({ port, tokens, seconds, connections: CONNECTIONS })
  })
}
