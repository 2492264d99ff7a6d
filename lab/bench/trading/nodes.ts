/**
 * Two web nodes and one engine, with callers that submit trades as fast as they are answered. Measures how old a frame
 * is when it reaches a client of each web node, and how late trades that end meanwhile are settled. A trade takes a
 * minute, so this takes over a minute.
 *
 *   node lab/bench/trading/nodes.ts [callers] [seconds]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { WebSocket } from 'ws'
import type { FrameMessage, ServerMessage } from '#contract/messages/push.ts'
import { inChild } from '../support/load/children.ts'
import type { Load, Loaded } from '../support/load/load.ts'
import { nodesOn } from '../support/nodes.ts'
import { benchPostgres } from '../support/postgres.ts'
import { cpuMs, treeOf } from '../support/processes.ts'
import { signUp } from '../support/sign-up.ts'

const CALLERS = Number(process.argv[2] ?? 64)
const SECONDS = Number(process.argv[3] ?? 75)
const GOALS = { frameAgeMs: 400, latenessMs: 500 }

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-nodes-'))
const nodes = nodesOn(postgres.superUrl, dataDir)
try {
  const engine = await nodes.start('engine')
  const webs = [await nodes.start('web'), await nodes.start('web')]
  const tokens = await signUp(webs[0]!.port, CALLERS)
  const watchers = await Promise.all(webs.map(({ port }) => watch(port)))
  await sleep(3_000)
  const calm = watchers.map((watcher) => watcher.take())
  const client = new pg.Client({ connectionString: postgres.superUrl })
  await client.connect()
  const pids = [engine, ...webs].map(({ pid }) => treeOf(pid))
  const before = { cpu: pids.map(cpuMs), at: performance.now() }
  const job = { seconds: SECONDS, callers: CALLERS / webs.length, listening: false, duration: 60 }
  const loads = await Promise.all(
    webs.map(({ port }, at) =>
      inChild<Loaded>('load.ts', {
        ...job,
        port,
        tokens: tokens.filter((_, index) => index % webs.length === at),
      } satisfies Load),
    ),
  )
  const shares = pids.map((of, at) => (cpuMs(of) - before.cpu[at]!) / (performance.now() - before.at))
  const busy = watchers.map((watcher) => watcher.take())
  for (const watcher of watchers) watcher.close()
  const { rows } = await client.query<{ ended: number; p50: number; p99: number; most: number }>(
    `select count(*)::int as ended, percentile_disc(0.5) within group (order by late)::float8 as p50,
      percentile_disc(0.99) within group (order by late)::float8 as p99, max(late)::float8 as most
    from (select coalesce(extract(epoch from settled_at), extract(epoch from clock_timestamp())) * 1000 - end_time as late
      from trades where end_time < extract(epoch from clock_timestamp()) * 1000 - 1000) t`,
  )
  await client.end()
  const rate = loads.reduce((sum, { perSecond }) => sum + perSecond, 0)
  console.log(
    `${CALLERS} callers: ${rate.toFixed(0)} trades a second accepted, p99 ${Math.max(...loads.map(({ p99 }) => p99)).toFixed(0)} ms; engine ${percent(shares[0]!)}, webs ${percent(shares[1]!)} and ${percent(shares[2]!)} of a core`,
  )
  console.log(
    `age of a frame at a client, p99: ${show(busy)} ms (goal: below ${GOALS.frameAgeMs}); before the load ${show(calm)} ms`,
  )
  const { ended, p50, p99, most } = rows[0]!
  console.log(
    `${ended} trades ended meanwhile: late by p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (goal: below ${GOALS.latenessMs}), at most ${most.toFixed(0)} ms`,
  )
} finally {
  nodes.stop()
  await sleep(1_000)
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`
}

/** Formats the 99th percentile at each web node: `120 and 130`. */
function show(ages: number[][]): string {
  return ages.map((one) => one.sort((a, b) => a - b)[Math.floor(one.length * 0.99)]!.toFixed(0)).join(' and ')
}

/** Collects the ages of frames at a socket: from publication to arrival on the same machine's clock, ms. */
async function watch(port: number) {
  let ages: number[] = []
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/stream`)
  await new Promise((resolve) => socket.once('open', resolve))
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as ServerMessage
    if (message.op === 'frame') ages.push(Date.now() - (message as FrameMessage).t)
  })
  socket.send(JSON.stringify({ op: 'subscribe', symbols: ['*'] }))
  return {
    take: () => {
      const taken = ages
      ages = []
      return taken
    },
    close: () => socket.terminate(),
  }
}
