import { chmodSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '#server/platform/database/db.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { startSmtp } from '#tests/support/outside/smtp.ts'
import { fakeStripe } from '#tests/support/outside/stripe.ts'
import {
  call,
  copyData,
  discard,
  openSuper,
  postmasterOf,
  type ServerProcess,
  startServer,
} from '#tests/support/servers/server.ts'
import { type TcpProxy, tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { makePeople, type People, readPeople } from './people.ts'
import type { Finding } from './verifier/finding.ts'

/** The product as its clients and the verifier see it, as one server or as a cluster. */
export interface Product {
  people: People
  origin: string
  stripe: Awaited<ReturnType<typeof fakeStripe>>
  /** The superuser's connections, which outlive restarts of the database. */
  database: Database
  start(): Promise<void>
  /** Shuts the product down cleanly. Throws if it exits with an error. */
  stop(): Promise<void>
  kill(): Promise<void>
  /** Waits until all parts report that they are up. Returns how long that took, in ms. */
  healthy(withinMs?: number): Promise<number>
  /** Returns further findings after a round, besides the verifier's. */
  examine?(from: number): Promise<Finding[]>
  /** Returns further columns of the report for a round that began at `from`, Unix ms. */
  figures?(from: number): Promise<Record<string, number>>
  close(): Promise<void>
}

/** The product as separate processes, with its external services and a proxy in front for clients. */
export interface World extends Product {
  dataDir: string
  /** Where clients connect: the proxy in front of the server. */
  front: TcpProxy
  /** Connections to the mail server and to the object storage. */
  mail: TcpProxy
  storage: TcpProxy
  /** The settings that the server is started with. */
  settings: Record<string, string>
  server(): ServerProcess
  /** Starts the server, with further settings if given. */
  start(more?: Record<string, string>): Promise<void>
  /** Returns a new folder that is removed with the world. */
  folder(): string
  /** Calls this when the world is closed, also after a failure. */
  atClose(undo: () => void): void
}

/** Creates an installation with operators and this many traders, and returns its folder. */
export async function prepare(traders: number): Promise<string> {
  const folder = newFolder()
  const server = await startServer(folder)
  await makePeople(server, folder, traders)
  if ((await server.end('SIGTERM')) !== 0) throw new Error(server.output())
  return folder
}

/** Opens a world on a copy of a prepared installation. */
export async function openWorld(prepared: string): Promise<World> {
  const dataDir = newFolder()
  copyData(prepared, dataDir)
  const [smtp, stripe] = await Promise.all([startSmtp(), fakeStripe()])
  const objects = join(dataDir, 'objects')
  mkdirSync(objects)
  const bucket = await bucketServer(objects)
  const mail = await tcpProxy(() => Number(new URL(smtp.url).port))
  const storage = await tcpProxy(() => bucket.port)
  const folders: string[] = []
  const undos: (() => void)[] = []
  let server: ServerProcess | undefined
  const front = await tcpProxy(() => Number(new URL(running().origin).port))
  let database: Database | undefined

  function running(): ServerProcess {
    if (!server) throw new Error('the server is not running')
    return server
  }

  async function close(how: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await database?.close().catch(() => undefined)
    if (server) await server.end(how)
    await Promise.all([front, mail, storage].map((proxy) => proxy.close()))
    await Promise.all([smtp.stop(), stripe.close(), bucket.close()])
    for (const undo of undos) undo()
    for (const folder of [dataDir, ...folders]) await discard(folder)
  }
  // Clean up when the command is interrupted.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void close('SIGKILL').finally(() => process.exit(1)))

  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    FILES_URL: bucket.url.replace(`:${bucket.port}/`, `:${storage.port}/`),
    CARD_PROVIDER: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_unused',
    STRIPE_WEBHOOK_SECRET: stripe.secret,
    STRIPE_API: stripe.url,
    CHECKPOINT_SECONDS: '5',
    RECONCILE_SECONDS: '10',
  }

  return {
    dataDir,
    people: readPeople(dataDir),
    front,
    origin: `http://127.0.0.1:${front.port}`,
    stripe,
    mail,
    storage,
    get database() {
      database ??= openSuper(dataDir)
      return database
    },
    settings,
    server: running,
    async start(more = {}) {
      server = await startServer(dataDir, { ...settings, ...more })
    },
    async stop() {
      const code = await running().end('SIGTERM')
      if (code !== 0) throw new Error(`the server ended with ${code}:\n${running().output().slice(-3_000)}`)
    },
    async kill() {
      await running().end('SIGKILL')
    },
    async healthy(withinMs = 40_000) {
      const began = performance.now()
      let last: unknown
      for (; performance.now() - began < withinMs; await sleep(50)) {
        const answer = await call(running(), 'GET', '/health').catch(String)
        if (typeof answer !== 'string' && answer.status === 200) return performance.now() - began
        last = answer
      }
      throw new Error(`not up after ${withinMs} ms: ${JSON.stringify(last)}\n${running().output().slice(-2_000)}`)
    },
    folder() {
      const made = newFolder()
      folders.push(made)
      return made
    },
    atClose: (undo) => void undos.push(undo),
    close: () => close(),
  }
}

/** Creates a folder that PostgreSQL can use as another user. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-faults-'))
  chmodSync(folder, 0o711)
  return folder
}

/** Waits until PostgreSQL runs on the world's folder, and returns its process id. */
export async function postmaster({ dataDir }: World): Promise<number> {
  for (let waited = 0; waited < 20_000; waited += 20) {
    const pid = postmasterOf(dataDir)
    if (pid !== undefined) return pid
    await sleep(20)
  }
  throw new Error('PostgreSQL is not running')
}
