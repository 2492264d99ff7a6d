import { randomInt } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { scrape } from '#tests/support/measures/metrics.ts'
import { processOf } from '#tests/support/servers/nodes.ts'
import { dataFolder, launch, startServer } from '#tests/support/servers/server.ts'
import { crowd } from '#tests/support/trades/crowd.ts'

const TIMEOUT_MS = 120_000
const { freshData } = crowd(1)

/** Returns the first of two consecutive free ports, below the system's ephemeral range. */
async function twoPorts(): Promise<number> {
  for (;;) {
    const first = randomInt(20_000, 32_000)
    if ((await freePort(first)) === first && (await freePort(first + 1)) === first + 1) return first
  }
}

test(
  'each process has its own monitoring port, which works while the other process hangs',
  async () => {
    const port = await twoPorts()
    const server = await startServer(freshData(), { METRICS_PORT: String(port) })
    const [engine, web] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${port + 1}`]
    expect(server.output()).toContain(`${engine}/metrics   (engine)`)
    expect(server.output()).toContain(`${web}/metrics   (web)`)
    expect((await scrape(web)).value('cleartick_node', { roles: 'web' })).toBe(1)
    const pid = processOf(server.pid, 'web')!
    process.kill(pid, 'SIGSTOP')
    onTestFinished(() => resume(pid))
    const { value } = await scrape(engine)
    expect(value('cleartick_node', { roles: 'engine' })).toBe(1)
    expect(value('cleartick_leader')).toBe(1)
    expect((await fetch(`${engine}/live`)).status).toBe(200)
    resume(pid)
    expect(await server.end('SIGTERM')).toBe(0)
  },
  TIMEOUT_MS,
)

function resume(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // Its supervisor has killed it for hanging.
  }
}

test.each([
  [{ PORT: '4711', METRICS_PORT: '4710' }, 'for the metrics of the web, and PORT is the same'],
  [{ METRICS_PORT: '4710', METRICS_HOST: '0.0.0.0' }, 'METRICS_HOST=0.0.0.0 needs METRICS_TOKEN'],
])('refuses to start with %j', async (env, message) => {
  const { ended, output } = launch('server/app/main.ts', { DATA_DIR: dataFolder(), ...env })
  expect(await ended).toBe(1)
  expect(output()).toContain(message)
})
