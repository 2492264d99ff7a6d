/**
 * The cost of sending prices to many clients: 10,000 sockets on two web nodes, each subscribed to every symbol,
 * compared with two bare servers of the library `ws` that send the same bytes at the same times to as many sockets.
 * Measures processor time and memory of the sending processes, how long a message takes to reach the last socket, how
 * soon 10,000 sockets that were cut off at once are back, and what a trader who stays connected notices. Linux only.
 *
 *   node lab/bench/prices/fanout.ts [sockets] [seconds] [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { type Helper, startHelper } from '../support/load/children.ts'
import type { PlainJob, Sent } from '../support/load/plain-sockets.ts'
import type { Arrived, CrowdJob } from '../support/load/socket-crowd.ts'
import { nodesOn } from '../support/nodes.ts'
import { benchPostgres } from '../support/postgres.ts'
import { cpuMs, memoryBytes, treeOf } from '../support/processes.ts'
import { signUp } from '../support/sign-up.ts'

const SOCKETS = Number(process.argv[2] ?? 10_000)
const SECONDS = Number(process.argv[3] ?? 20)
const ROUNDS = Number(process.argv[4] ?? 3)
const NODES = 2
/** Connections opened at once: as many as the operating system queues. */
const AT_ONCE = 200
/** Time until the garbage from connecting is collected and frames come four times a second again. */
const REST_MS = 5_000
const GOALS = { cpu: 1.15, delivery: 1.5, memoryKb: 30, backMs: 15_000 }

const ORDER = JSON.stringify({
  symbol: 'BTCUSDT',
  trading_type: 'Cryptocurrency',
  trade_mode: 'Buy',
  amount: 1,
  duration: 3_600,
  strike_rate: '75/3',
  mode: 'demo',
})

interface Measured {
  cpuShare: number
  memoryKb: number
  arrived: Arrived[]
}

const started: { kill(): void }[] = []
const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-fanout-'))
const nodes = nodesOn(postgres.superUrl, dataDir)
try {
  await nodes.start('engine')
  const ours = await Promise.all(Array.from({ length: NODES }, () => nodes.start('web')))
  const plain = Array.from({ length: NODES }, () => helper('plain-sockets.ts'))
  const plainPorts = await Promise.all(
    plain.map(async (one) => (await one.ask<{ port: number }>({ do: 'listen' } satisfies PlainJob)).port),
  )
  const crowds = Array.from({ length: NODES }, () => helper('socket-crowd.ts'))
  const ratios: { cpu: number; delivery: number; memoryKb: number }[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    let sent: Sent[] = []
    const product = await measure(
      crowds,
      ours.map(({ port, pid }) => ({ port, pids: treeOf(pid) })),
      async () => {
        sent = await record(ours[0]!.port)
      },
      true,
    )
    const bare = await measure(
      crowds,
      plain.map(({ pid }, at) => ({ port: plainPorts[at]!, pids: [pid] })),
      async () => {
        await Promise.all([
          ...plain.map((one) => one.ask({ do: 'send', sent } satisfies PlainJob)),
          sleep(SECONDS * 1000),
        ])
      },
      false,
    )
    const p99 = ({ arrived }: Measured) => Math.max(...arrived.map(({ spread }) => spread.p99))
    ratios.push({
      cpu: product.cpuShare / bare.cpuShare,
      delivery: p99(product) / p99(bare),
      memoryKb: product.memoryKb,
    })
    const kb = sent.reduce((sum, { text }) => sum + text.length, 0) / 1000 / Math.max(1, sent.length)
    console.log(`round ${round}: ${sent.length} frames of ${kb.toFixed(1)} kB to ${SOCKETS} sockets in ${SECONDS} s`)
    for (const [name, { cpuShare, memoryKb, arrived }] of [
      ['ours', product],
      ['ws', bare],
    ] as const) {
      const [messages, open] = [
        arrived.reduce((sum, a) => sum + a.messages, 0),
        arrived.reduce((sum, a) => sum + a.open, 0),
      ]
      const spread = arrived.map(
        (a) => `${a.spread.p50.toFixed(0)}/${a.spread.p99.toFixed(0)}/${a.spread.most.toFixed(0)}`,
      )
      console.log(
        `  ${name.padEnd(5)} ${(cpuShare * 100).toFixed(1).padStart(6)} % of a core, ${memoryKb.toFixed(1)} kB a socket, ${messages} messages arrived at ${open} sockets; from the first to each p50/p99/most ${spread.join(' and ')} ms`,
      )
    }
  }
  console.log(
    `processor time compared with ws: ${median(ratios.map(({ cpu }) => cpu)).toFixed(2)} (goal: at most ${GOALS.cpu})`,
  )
  console.log(
    `delivery p99 compared with ws: ${median(ratios.map(({ delivery }) => delivery)).toFixed(2)} (goal: at most ${GOALS.delivery})`,
  )
  console.log(
    `memory a socket: ${median(ratios.map(({ memoryKb }) => memoryKb)).toFixed(1)} kB (goal: at most ${GOALS.memoryKb})`,
  )
  await cutOff(crowds, ours)
} finally {
  for (const one of started) one.kill()
  nodes.stop()
  await sleep(1_000)
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

/** Opens all sockets, lets them settle, measures while `during` runs, and closes them. */
async function measure(
  crowds: Helper[],
  nodes: { port: number; pids: number[] }[],
  during: () => Promise<void>,
  waitForMessage: boolean,
): Promise<Measured> {
  const pids = nodes.flatMap((node) => node.pids)
  const empty = memoryBytes(pids)
  await openAll(crowds, nodes, AT_ONCE, waitForMessage)
  await sleep(REST_MS)
  await Promise.all(crowds.map((crowd) => crowd.ask({ do: 'begin' } satisfies CrowdJob)))
  const before = { cpu: cpuMs(pids), at: performance.now() }
  await during()
  const cpuShare = (cpuMs(pids) - before.cpu) / (performance.now() - before.at)
  const memoryKb = (memoryBytes(pids) - empty) / 1000 / SOCKETS
  const arrived = await Promise.all(crowds.map((crowd) => crowd.ask<Arrived>({ do: 'read' } satisfies CrowdJob)))
  await Promise.all(crowds.map((crowd) => crowd.ask({ do: 'close' } satisfies CrowdJob)))
  await sleep(2_000)
  return { cpuShare, memoryKb, arrived }
}

function openAll(
  crowds: Helper[],
  nodes: { port: number }[],
  atOnce: number,
  waitForMessage: boolean,
): Promise<{ ms: number }[]> {
  return Promise.all(
    crowds.map((crowd, at) =>
      crowd.ask<{ ms: number }>({
        do: 'open',
        port: nodes[at]!.port,
        count: SOCKETS / NODES,
        atOnce,
        waitForMessage,
      } satisfies CrowdJob),
    ),
  )
}

/** Cuts all sockets and opens the same number at once, while a trader watches prices and places orders at each node. */
async function cutOff(crowds: Helper[], nodes: { port: number }[]): Promise<void> {
  const [token] = await signUp(nodes[0]!.port, 1)
  const traders = () => nodes.map(({ port }) => startTrader(port, token!))
  await openAll(crowds, nodes, AT_ONCE, true)
  await sleep(REST_MS)
  const calm = traders()
  await sleep(REST_MS)
  const before = await Promise.all(calm.map((trader) => trader.stop()))
  const during = traders()
  await sleep(500)
  await Promise.all(crowds.map((crowd) => crowd.ask({ do: 'close' } satisfies CrowdJob)))
  const back = await openAll(crowds, nodes, SOCKETS, true)
  const felt = await Promise.all(during.map((trader) => trader.stop()))
  const slowest = Math.max(...back.map(({ ms }) => ms))
  console.log(
    `${SOCKETS} sockets cut off at once have prices again after ${(slowest / 1000).toFixed(1)} s (goal: at most ${GOALS.backMs / 1000} s)`,
  )
  for (const [name, all] of [
    ['before', before],
    ['meanwhile', felt],
  ] as const) {
    const [ages, orders] = [all.flatMap((one) => one.ages), all.flatMap((one) => one.orders)]
    console.log(
      `  traders who stay connected, ${name}: ${ages.length} prices, age p99 ${percentile(ages).toFixed(0)} ms, oldest ${Math.max(...ages).toFixed(0)}; ${orders.length} orders, p99 ${percentile(orders).toFixed(0)} ms, ${all.reduce((sum, { failed }) => sum + failed, 0)} failed`,
    )
  }
}

interface Felt {
  /** Age of each price on arrival, ms. */
  ages: number[]
  /** Time until each order was accepted, ms. */
  orders: number[]
  failed: number
}

/** A trader who watches one symbol and places an order every 50 ms. */
function startTrader(port: number, token: string): { stop(): Promise<Felt> } {
  const felt: Felt = { ages: [], orders: [], failed: 0 }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/stream`)
  socket.on('open', () => socket.send(JSON.stringify({ op: 'subscribe', symbols: ['BTCUSDT'] })))
  socket.on('message', (data) => {
    const { op, t } = JSON.parse(String(data)) as { op: string; t: number }
    if (op === 'frame') felt.ages.push(Date.now() - t)
  })
  let isOver = false
  const ordering = (async () => {
    while (!isOver) {
      const began = performance.now()
      const { ok } = await fetch(`http://127.0.0.1:${port}/api/trading/submit`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: ORDER,
      })
      if (ok) felt.orders.push(performance.now() - began)
      else felt.failed++
      await sleep(50)
    }
  })()
  return {
    async stop() {
      isOver = true
      await ordering
      socket.terminate()
      return felt
    },
  }
}

/** The frames that a node sends for the length of a measurement, with their times. */
async function record(port: number): Promise<Sent[]> {
  const sent: Sent[] = []
  const socket = new WebSocket(`ws://127.0.0.1:${port}/api/stream`)
  await new Promise((resolve) => socket.once('open', resolve))
  const from = performance.now()
  socket.on('message', (data) => sent.push({ atMs: performance.now() - from, text: String(data) }))
  socket.send(JSON.stringify({ op: 'subscribe', symbols: ['*'] }))
  await sleep(SECONDS * 1000)
  socket.terminate()
  return sent.filter(({ text }) => text.startsWith('{"op":"frame"'))
}

function helper(file: string): Helper {
  const one = startHelper(file)
  started.push({ kill: one.end })
  return one
}

function percentile(times: number[]): number {
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
}

function median(numbers: number[]): number {
  return numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]!
}
