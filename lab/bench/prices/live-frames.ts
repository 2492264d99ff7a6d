/**
 * Age of live prices in a real browser: `node lab/bench/prices/live-frames.ts [seconds] [quotes a second]` (after `npm run
 * build`).
 *
 * Four fake exchanges in another process send 79 markets, each 50 times a second, to a server started as a user would.
 * A page of the site in Chromium subscribes to all symbols and records the age of each frame on arrival, and of its
 * prices by their source times. Everything runs on one machine with one clock; a real network adds its delay.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright'
import { unpackBrowser } from '#tests/e2e/support/browser.ts'
import { startServer } from '#tests/e2e/support/servers/server.ts'
import { startQuoting } from '../support/exchanges.ts'

const SECONDS = Number(process.argv[2] ?? 120)
const PER_SECOND = Number(process.argv[3] ?? 50)
const GOAL_MS = 400

const exchanges = await startQuoting(PER_SECOND)
const folder = mkdtempSync(join(tmpdir(), 'cleartick-bench-'))
chmodSync(folder, 0o711)
const server = await startServer({
  dataDir: join(folder, 'data'),
  settings: {
    FEED: `live:${exchanges.addresses.map(({ id }) => id).join()}`,
    VENUE_ADDRESSES: exchanges.addresses.map(({ id, address }) => `${id}=${address}`).join(),
  },
})
const { executablePath, env } = await unpackBrowser(folder)
const browser = await chromium.launch({ executablePath, env, args: ['--no-sandbox', '--disable-gpu'] })

interface Seen {
  frames: number[]
  prices: number[]
}

try {
  const page = await browser.newPage({ baseURL: server.origin })
  await page.goto('/prices')
  const list = (await (await page.request.get('/api/prices/instruments')).json()) as { data: { symbol: string }[] }
  // Wait until every connection is open and the caches are warm.
  await sleep(15_000)
  const seen = await page.evaluate(
    ([symbols, ms]) =>
      new Promise<Seen>((resolve) => {
        const found: Seen = { frames: [], prices: [] }
        const socket = new WebSocket(`${location.origin.replace('http', 'ws')}/api/stream`)
        socket.onopen = () => socket.send(JSON.stringify({ op: 'subscribe', symbols }))
        socket.onmessage = ({ data }) => {
          const now = Date.now()
          const message = JSON.parse(data)
          if (message.op !== 'frame' || message.p.length === 0) return
          found.frames.push(now - message.t)
          for (const [, , sourceMs] of message.p) found.prices.push(now - sourceMs)
        }
        setTimeout(() => resolve(found), ms)
      }),
    [list.data.map(({ symbol }) => symbol), SECONDS * 1_000] as const,
  )
  const percentile = (values: number[], part: number) =>
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))]
  const line = (name: string, values: number[]) =>
    console.log(
      `${name}: median ${percentile(values, 0.5)} ms, p99 ${percentile(values, 0.99)} ms, oldest ${percentile(values, 1)} ms (${values.length})`,
    )
  console.log(
    `${PER_SECOND} quotes a second, ${(seen.frames.length / SECONDS).toFixed(1)} frames a second, ${(seen.prices.length / seen.frames.length).toFixed(1)} prices each`,
  )
  line('age of a frame at the browser', seen.frames)
  line('age of its prices by their source times', seen.prices)
  console.log(`goal: p99 of a frame below ${GOAL_MS} ms`)
  if (!(percentile(seen.frames, 0.99)! < GOAL_MS)) process.exitCode = 1
} finally {
  await browser.close()
  await server.stop()
  exchanges.stop()
  rmSync(folder, { recursive: true, force: true })
}
