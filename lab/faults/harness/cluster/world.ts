import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase } from '#server/platform/database/db.ts'
import { changeAddress } from '#server/platform/postgres/address.ts'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { createLog } from '#server/platform/process/log.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { openRedis, REDIS_PROGRAM, type RedisProcess } from '#tests/support/outside/redis.ts'
import { fakeStripe } from '#tests/support/outside/stripe.ts'
import { configureWithoutTls, HAS_NGINX, type NginxProcess, runNginx } from '#tests/support/servers/proxy.ts'
import { call, discard } from '#tests/support/servers/server.ts'
import { type TcpProxy, tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { makePeople } from '../people.ts'
import type { Product } from '../world.ts'
import { type Databases, openDatabases } from './databases.ts'
import { type ClusterNode, makeNode, type NodeOptions } from './node.ts'
import { type Leadership, leadersOn, longestGaps, noteAppends, openTabs, wrongAppends } from './watch.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const
const TRADERS = 8
const TABS = 8
/** Longer than a client waits before it reconnects. */
const TABS_WITHIN_MS = 15_000

/** Two web nodes behind nginx, two engines, a primary and its standby, Redis and a bucket, on one machine. */
export interface Cluster extends Product {
  webs: readonly ClusterNode[]
  engines: readonly ClusterNode[]
  databases: Databases
  /** Undefined if the machine has none: messages then go through the database. */
  redis: RedisProcess | undefined
  /** Undefined if the machine has no nginx: clients' connections then go to the nodes in turn. */
  nginx:
    | { start(): void; signal(signal: NodeJS.Signals): void; end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> }
    | undefined
  /** Where clients connect. */
  front: TcpProxy
  /** Returns the holder of the leader's lock on the primary. */
  leader(): Promise<Leadership & { node: ClusterNode }>
}

export async function openCluster(traders = TRADERS): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-cluster-'))
  chmodSync(folder, 0o711)
  const undos: (() => unknown)[] = []
  async function close(): Promise<void> {
    for (const signal of SIGNALS) process.off(signal, interrupted)
    for (const undo of undos.reverse()) await undo()
    await discard(folder)
  }
  // Clean up when the command is interrupted.
  const interrupted = () => void close().finally(() => process.exit(1))
  for (const signal of SIGNALS) process.once(signal, interrupted)
  try {
    return await build(folder, traders, undos, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function build(
  folder: string,
  traders: number,
  undos: (() => unknown)[],
  close: () => Promise<void>,
): Promise<Cluster> {
  const databases = await openDatabases(folder)
  undos.push(() => databases.close())
  const redis = REDIS_PROGRAM === undefined ? undefined : await openRedis(folder)
  undos.push(() => redis?.kill())
  const objects = join(folder, 'objects')
  mkdirSync(objects)
  const bucket = await bucketServer(objects)
  undos.push(() => bucket.close())
  const stripe = await fakeStripe()
  undos.push(() => stripe.close())

  const shared = {
    FILES_KEY: randomBytes(32).toString('hex'),
    PROOF_KEY: randomBytes(32).toString('hex'),
    TRUST_PROXY: '127.0.0.1',
    PUBLIC_TEST_INSTALLATION: 'on',
    CARD_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_unused',
    STRIPE_WEBHOOK_SECRET: stripe.secret,
    STRIPE_API: stripe.url,
    CHECKPOINT_SECONDS: '5',
    RECONCILE_SECONDS: '10',
  }
  const settings: NodeOptions['settings'] = (own) => ({
    ...shared,
    DATABASE_URL: databases.address.replace(
      /(127\.0\.0\.1:\d+,?)+/,
      own.database.map((port) => `127.0.0.1:${port}`).join(),
    ),
    // The server that is the standby at first. While it's the primary, it answers these reads too.
    DATABASE_READ_URL: `postgres://127.0.0.1:${own.database[1]}`,
    FILES_URL: bucket.url.replace(`:${bucket.port}/`, `:${own.storage}/`),
    ...(own.redis === undefined ? {} : { REDIS_URL: `redis://127.0.0.1:${own.redis}` }),
  })
  const ports: NodeOptions['ports'] = {
    database: databases.ports,
    redis: redis && (() => redis.port),
    storage: () => bucket.port,
  }
  async function node(role: ClusterNode['role'], number: number): Promise<ClusterNode> {
    const name = `${role}-${number}`
    const dataDir = join(folder, name)
    mkdirSync(dataDir)
    const made = await makeNode({
      name,
      role,
      dataDir,
      port: role === 'web' ? (await freePort(0))! : undefined,
      ports,
      settings,
    })
    undos.push(() => made.close())
    return made
  }
  const webs = [await node('web', 1), await node('web', 2)]
  const engines = [await node('engine', 1), await node('engine', 2)]
  const nodes = [...webs, ...engines]

  // The first node creates the server's login.
  await webs[0]!.start()
  await Promise.all(nodes.slice(1).map((one) => one.start()))
  await noteAppends(databases.primary())
  writeFileSync(
    join(folder, 'database-url'),
    changeAddress(databases.address, () => undefined),
  )
  const database = openDatabase(databases.address, { max: 4, name: 'onlooker', log: createLog('silent') })
  undos.push(() => database.close().catch(() => undefined))

  const webPorts = webs.map(({ origin }) => Number(new URL(origin).port))
  const nginx = HAS_NGINX ? await openNginx(join(folder, 'nginx'), webPorts) : undefined
  undos.push(() => nginx?.end('SIGKILL'))
  let turn = 0
  const front = await tcpProxy(() => nginx?.port ?? webPorts[turn++ % webPorts.length]!)
  undos.push(() => front.close())
  const origin = `http://127.0.0.1:${front.port}`
  const people = await makePeople(webs[0]!, folder, traders)
  const tabs = openTabs(origin, TABS)
  undos.push(() => tabs.stop())

  const isUp = (at: { origin: string }) =>
    call(at, 'GET', '/health').then(
      ({ status, json }) => (status === 200 ? '' : JSON.stringify(json.data ?? json)),
      String,
    )

  /** Returns what isn't running yet; empty once everything runs. */
  async function missing(): Promise<string> {
    for (const at of [...webs, { name: 'the front', origin }]) {
      const problem = await isUp(at)
      if (problem !== '') return `${at.name}: ${problem}`
    }
    if (!(await databases.isSynchronous())) return 'the standby does not follow'
    const sessions = await databases
      .primary()
      .ask("select from pg_stat_activity where application_name like 'cleartick tape %'")
    if (sessions.length < nodes.length) return `${sessions.length} of ${nodes.length} nodes read the tape`
    return (await leadersOn(databases.primary())).length === 1 ? '' : 'no engine leads'
  }

  return {
    webs,
    engines,
    databases,
    redis,
    nginx,
    front,
    origin,
    stripe,
    people,
    database,
    async leader() {
      for (let waited = 0; waited < 15_000; waited += 100) {
        const [leader] = await leadersOn(databases.primary())
        for (const engine of engines)
          if (leader && (await engine.pid()) === leader.pid) return { ...leader, node: engine }
        await sleep(100)
      }
      throw new Error('no engine leads')
    },
    async start() {
      await Promise.all(nodes.map((one) => one.start()))
    },
    async stop() {
      const codes = await Promise.all(nodes.map((one) => one.stop()))
      const failed = nodes.findIndex((_, at) => codes[at] !== 0)
      if (failed >= 0)
        throw new Error(`${nodes[failed]!.name} ended with ${codes[failed]}:\n${nodes[failed]!.output()}`)
    },
    async kill() {
      await Promise.all(nodes.map((one) => one.kill()))
    },
    async healthy(withinMs = 40_000) {
      const began = performance.now()
      let problem = ''
      for (; performance.now() - began < withinMs; await sleep(50)) {
        problem = await missing().catch(String)
        if (problem === '') return performance.now() - began
      }
      const logs = nodes.map((one) => `${one.name}:\n${one.output().slice(-1_000)}`).join('\n')
      throw new Error(`not up after ${withinMs} ms: ${problem}\n${logs}`)
    },
    async examine(from) {
      const { stuck } = await tabs.receive(TABS_WITHIN_MS)
      return [
        ...(stuck === 0
          ? []
          : [
              {
                check: 'recovers' as const,
                says: `${stuck} of ${TABS} tabs received no frame for ${TABS_WITHIN_MS} ms`,
              },
            ]),
        ...(await wrongAppends(database.db, from)).map((says) => ({ check: 'one-writer' as const, says })),
      ]
    },
    figures: (from) => longestGaps(database.db, from),
    close,
  }
}

async function openNginx(folder: string, webPorts: number[]) {
  mkdirSync(folder)
  const port = (await freePort(0))!
  configureWithoutTls(folder, { webPorts, port, unused: (await freePort(0))! })
  let nginx: NginxProcess = runNginx(folder)
  return {
    port,
    start() {
      nginx = runNginx(folder)
    },
    signal: (signal: NodeJS.Signals) => nginx.signal(signal),
    end: (signal: 'SIGTERM' | 'SIGKILL') => nginx.end(signal),
  }
}
