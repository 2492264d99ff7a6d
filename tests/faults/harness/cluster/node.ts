import { setTimeout as sleep } from 'node:timers/promises'
import { processOf } from '#tests/support/nodes.ts'
import { type ServerProcess, startServer } from '#tests/support/server.ts'
import { type TcpProxy, tcpProxy } from '../proxy.ts'

/** A machine with one role: its supervisor and the process of the role, and its own ways to what it depends on. */
export interface ClusterNode {
  name: string
  role: 'web' | 'engine'
  /** Where its requests are answered; only a web has one. */
  origin: string
  /** The ways to both database servers. */
  database: readonly TcpProxy[]
  redis: TcpProxy | undefined
  storage: TcpProxy
  /** The process of its role. */
  pid(): Promise<number>
  /** Starts it unless it runs. */
  start(): Promise<void>
  /** Sends a signal to all of its processes. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Ends all of its processes, as a machine that loses its power. */
  kill(): Promise<void>
  /** Stops it in order, and returns its exit code. */
  stop(): Promise<number | null>
  output(): string
  close(): Promise<void>
}

export interface NodeOptions {
  name: string
  role: 'web' | 'engine'
  dataDir: string
  /** Of a web; an engine listens nowhere. */
  port: number | undefined
  /** The ports of what it depends on, at this moment. */
  ports: { database: readonly (() => number)[]; redis: (() => number) | undefined; storage: () => number }
  /** Its settings, given the ports of its ways. */
  settings(own: { database: number[]; redis: number | undefined; storage: number }): Record<string, string>
}

export async function makeNode({ name, role, dataDir, port, ports, settings }: NodeOptions): Promise<ClusterNode> {
  const database = await Promise.all(ports.database.map(tcpProxy))
  const redis = ports.redis && (await tcpProxy(ports.redis))
  const storage = await tcpProxy(ports.storage)
  const env = {
    ROLES: role,
    ...(port === undefined ? {} : { PORT: String(port) }),
    ...settings({ database: database.map((way) => way.port), redis: redis?.port, storage: storage.port }),
  }
  let server: ServerProcess | undefined
  let output = () => ''
  const running = (): ServerProcess => {
    if (!server) throw new Error(`${name} does not run`)
    return server
  }

  async function pid(): Promise<number> {
    for (let waited = 0; waited < 20_000; waited += 50) {
      const found = processOf(running().pid, role)
      if (found !== undefined) return found
      await sleep(50)
    }
    throw new Error(`${name} has no process:\n${running().output().slice(-2_000)}`)
  }

  return {
    name,
    role,
    origin: `http://127.0.0.1:${port}`,
    database,
    redis,
    storage,
    pid,
    async start() {
      if (server) return
      server = await startServer(dataDir, env)
      output = server.output
    },
    async signal(signal) {
      for (const one of [running().pid, await pid()]) process.kill(one, signal)
    },
    async kill() {
      const child = await pid()
      const ended = running().end('SIGKILL')
      process.kill(child, 'SIGKILL')
      await ended
      server = undefined
    },
    async stop() {
      const code = await running().end('SIGTERM')
      server = undefined
      return code
    },
    output: () => output(),
    async close() {
      if (server) {
        const child = processOf(server.pid, role)
        const ended = server.end('SIGKILL')
        if (child !== undefined) process.kill(child, 'SIGKILL')
        await ended
      }
      await Promise.all([...database, storage, ...(redis ? [redis] : [])].map((way) => way.close()))
    },
  }
}
