import { setTimeout as sleep } from 'node:timers/promises'
import { processOf } from '#tests/support/servers/nodes.ts'
import { type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { type TcpProxy, tcpProxy } from '#tests/support/servers/tcp-proxy.ts'

/** A machine with one role: its supervisor, the role's process, and its own connections to its dependencies. */
export interface ClusterNode {
  name: string
  role: 'web' | 'engine'
  /** Where it serves requests; only for a web node. */
  origin: string
  /** Connections to both database servers. */
  database: readonly TcpProxy[]
  redis: TcpProxy | undefined
  storage: TcpProxy
  /** Returns the id of its role's process. */
  pid(): Promise<number>
  /** Starts it unless it's running. */
  start(): Promise<void>
  /** Sends a signal to all of its processes. */
  signal(signal: NodeJS.Signals): Promise<void>
  /** Kills all of its processes, as a power loss would. */
  kill(): Promise<void>
  /** Shuts it down cleanly, and returns its exit code. */
  stop(): Promise<number | null>
  output(): string
  close(): Promise<void>
}

export interface NodeOptions {
  name: string
  role: 'web' | 'engine'
  dataDir: string
  /** Only for a web node: an engine doesn't listen. */
  port: number | undefined
  /** Current ports of its dependencies. */
  ports: { database: readonly (() => number)[]; redis: (() => number) | undefined; storage: () => number }
  /** Returns its settings, given the ports of its connections. */
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
    if (!server) throw new Error(`${name} is not running`)
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
