import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { REDIS_PROGRAM } from '#tests/support/outside/redis.ts'
import { connectTo, createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { freePort } from '../postgres/embedded.ts'
import { createLog } from '../process/log.ts'
import { type Bus, databaseTransport, openBus, redisTransport } from './index.ts'
import type { Transport } from './transport.ts'

interface Topics {
  number: number
  text: string
}
interface Questions {
  double: { question: number; answer: number }
}
const log = createLog('silent')
const REDIS_CLI = REDIS_PROGRAM?.replace('-server', '-cli') ?? ''

async function openTestBus(transport?: Transport): Promise<Bus<Topics, Questions>> {
  const bus = await openBus<Topics, Questions>(log, transport)
  onTestFinished(() => bus.stop())
  return bus
}

function received<T extends keyof Topics>(bus: Bus<Topics, Questions>, topic: T): Topics[T][] {
  const found: Topics[T][] = []
  bus.subscribe(topic, (message) => void found.push(message))
  return found
}

test('without a transport, listeners of this process are called at once, and a failing one harms no other', async () => {
  const bus = await openTestBus()
  bus.subscribe('number', () => {
    throw new Error('cannot')
  })
  const numbers = received(bus, 'number')
  bus.publish('number', 1)
  bus.publishToOthers('number', 2)
  expect(numbers).toEqual([1])
  bus.answer('double', async (n) => 2 * n)
  expect(await bus.ask('double', 4, { patienceMs: 1_000, isEnough: () => true })).toEqual([8])
})

test('a lone message leaves at once; those of a busy node leave together, and what is left when it stops', async () => {
  const sent: { at: number; texts: readonly string[] }[] = []
  const bus = await openTestBus({
    start: async () => undefined,
    send: async (texts) => void sent.push({ at: performance.now(), texts }),
    lostSince: () => undefined,
    stop: async () => undefined,
  })
  // Its greeting.
  await sleep(50)
  sent.length = 0
  const began = performance.now()
  bus.publish('number', 0)
  await Promise.resolve()
  await Promise.resolve()
  expect(sent.map(({ texts }) => texts.length)).toEqual([1])
  let published = 1
  while (performance.now() < began + 200) {
    bus.publish('number', published++)
    await sleep(1)
  }
  await sleep(30)
  expect(sent.length).toBeLessThanOrEqual(1 + 230 / 10)
  const numbers = sent.flatMap(({ texts }) => texts.map((text) => (JSON.parse(text) as { message: number }).message))
  expect(numbers).toEqual(Array.from({ length: published }, (_, n) => n))
  bus.publish('number', -1)
  bus.publish('number', -2)
  await bus.stop()
  expect(sent.at(-1)!.texts.join()).toContain('-2')
})

/** What every transport must do. `cut` ends its connections. */
function behaves(open: () => Transport | Promise<Transport>, cut: () => Promise<void>) {
  test('a message reaches every node once, in the order of its sender', async () => {
    const [one, two] = [await openTestBus(await open()), await openTestBus(await open())]
    const [atOne, atTwo] = [received(one, 'number'), received(two, 'number')]
    const sent = Array.from({ length: 500 }, (_, n) => n)
    for (const n of sent) one.publish('number', n)
    expect(atOne).toEqual(sent)
    await expect.poll(() => atTwo.length).toBe(500)
    expect(atTwo).toEqual(sent)
    await sleep(50)
    expect(atOne).toEqual(sent)
  })

  test('long and odd texts arrive unchanged, and so do equal ones', async () => {
    const [one, two] = [await openTestBus(await open()), await openTestBus(await open())]
    const texts = received(two, 'text')
    const sent = ['', '#a:0:2:b', 'ü'.repeat(5_000), 'x'.repeat(300_000), '😀\u0001"\\'.repeat(3_000), 'same', 'same']
    for (const text of sent) one.publish('text', text)
    await expect.poll(() => texts.length).toBe(sent.length)
    expect(texts).toEqual(sent)
  })

  test('a question is answered by the node that can, and those that know nothing cost no time', async () => {
    const [one, two, three] = [
      await openTestBus(await open()),
      await openTestBus(await open()),
      await openTestBus(await open()),
    ]
    two.answer('double', async () => undefined)
    three.answer('double', async (n) => 2 * n)
    // A wait for its patience would time out the test.
    const ask = (patienceMs = 2_000) => one.ask('double', 21, { patienceMs, isEnough: () => false })
    await expect.poll(() => ask()).toEqual([42])
    expect(await ask(600_000)).toEqual([42])
    await three.stop()
    await expect.poll(() => ask()).toEqual([])
  })

  test('after a lost connection every node reads again, and messages arrive as before', async () => {
    const [one, two] = [await openTestBus(await open()), await openTestBus(await open())]
    let gaps = 0
    two.onGap(() => gaps++)
    const numbers = received(two, 'number')
    await expect.poll(() => two.state().peers).toBeGreaterThan(0)
    expect(two.state()).toMatchObject({ lostForMs: undefined, gaps: 0, lost: 0 })
    await cut()
    await expect.poll(() => gaps).toBeGreaterThan(0)
    await expect
      .poll(() => {
        one.publish('number', 7)
        return numbers.length
      })
      .toBeGreaterThan(0)
    expect(two.state().gaps).toBe(gaps)
    await expect.poll(() => [one, two].map((bus) => bus.state().lostForMs)).toEqual([undefined, undefined])
  })
}

describe('over LISTEN and NOTIFY', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.drop())
  behaves(
    () => databaseTransport(database.appUrl, log),
    async () => {
      const client = await connectTo(database.superUrl)
      await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'cleartick bus'`)
      await client.end()
    },
  )
})

describe.runIf(REDIS_PROGRAM)('over Redis', () => {
  let server: ChildProcess
  let url: string
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cleartick-redis-'))
    const port = await freePort(0)
    url = `redis://127.0.0.1:${port}`
    server = spawn(REDIS_PROGRAM!, ['--port', String(port), '--save', '', '--dir', folder], { stdio: 'ignore' })
    while (!spawnSync(REDIS_CLI, ['-u', url, 'ping'], { encoding: 'utf8' }).stdout.includes('PONG')) await sleep(20)
  })
  afterAll(() => {
    server.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  behaves(
    () => redisTransport(url, log),
    async () => {
      for (const type of ['normal', 'pubsub'])
        spawnSync(REDIS_CLI, ['-u', url, 'client', 'kill', 'type', type, 'skipme', 'yes'])
    },
  )

  test('a server that hangs is noticed, and messages arrive again once it answers', async () => {
    const [one, two] = [
      await openTestBus(await redisTransport(url, log, 300)),
      await openTestBus(await redisTransport(url, log, 300)),
    ]
    const numbers = received(two, 'number')
    const lost = () => [one, two].map((bus) => bus.state().lostForMs !== undefined)
    // As long as it answers, silence between nodes ends nothing. On a busy machine the server may not get to answer in
    // time, but not in every such window.
    const ended = async () => {
      const before = two.state().gaps
      await sleep(1_500)
      return [lost(), two.state().gaps - before]
    }
    await expect.poll(ended).toEqual([[false, false], 0])
    const before = two.state().gaps
    server.kill('SIGSTOP')
    try {
      one.publish('number', 1)
      await expect.poll(lost).toEqual([true, true])
    } finally {
      server.kill('SIGCONT')
    }
    const again = () => {
      one.publish('number', 2)
      return numbers.includes(2)
    }
    await expect.poll(again).toBe(true)
    expect(two.state().gaps).toBeGreaterThan(before)
    await expect.poll(lost).toEqual([false, false])
  })

  test('a node starts while the server is down, and reads again when it receives from the others', async () => {
    const port = (await freePort(0))!
    const open = () => redisTransport(`redis://127.0.0.1:${port}`, log, 300)
    const [one, two] = [await openTestBus(await open()), await openTestBus(await open())]
    expect(one.state().lostForMs).toBeGreaterThan(0)
    const numbers = received(two, 'number')
    const late = spawn(REDIS_PROGRAM!, ['--port', String(port), '--save', '', '--dir', folder], { stdio: 'ignore' })
    onTestFinished(() => void late.kill())
    const arrives = () => {
      one.publish('number', 1)
      return numbers.length > 0
    }
    await expect.poll(arrives).toBe(true)
    expect(two.state().gaps).toBeGreaterThan(0)
  })
})
