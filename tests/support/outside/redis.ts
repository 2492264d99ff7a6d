import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#server/platform/postgres/embedded.ts'

/** The program of Redis or Valkey; undefined if neither is installed. */
export const REDIS_PROGRAM = ['redis-server', 'valkey-server'].find(
  (program) => spawnSync(program, ['--version']).status === 0,
)

export interface RedisProcess {
  port: number
  start(): Promise<void>
  signal(signal: NodeJS.Signals): void
  kill(): Promise<void>
}

/** Starts that program on a free port, storing nothing. */
export async function openRedis(folder: string): Promise<RedisProcess> {
  const port = (await freePort(0))!
  let child: ChildProcess | undefined
  const redis: RedisProcess = {
    port,
    async start() {
      child = spawn(REDIS_PROGRAM!, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder], {
        stdio: 'ignore',
      })
      for (let waited = 0; waited < 60_000; waited += 25) {
        if (await answers(port)) return
        await sleep(25)
      }
      throw new Error(`${REDIS_PROGRAM} did not start`)
    },
    signal: (signal) => void child?.kill(signal),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
  await redis.start()
  return redis
}

const answers = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => socket.write('PING\r\n'))
    socket.on('error', () => resolve(false))
    socket.on('data', (bytes) => {
      socket.destroy()
      resolve(String(bytes).startsWith('+PONG'))
    })
  })
