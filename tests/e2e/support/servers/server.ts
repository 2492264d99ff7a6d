import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface Server {
  origin: string
  port: number
  /** The process that supervises engine and web. */
  pid: number
  /** Ends it as Ctrl-C does, and waits until it has exited. */
  stop(): Promise<void>
  /** Kills it, as a power cut would. */
  kill(): Promise<void>
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const UP = /Site\s+http:\/\/localhost:(\d+)\//

/** The settings of every server of the browser tests. */
export const settingsOf = (dataDir: string): Record<string, string | undefined> => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  TMPDIR: process.env.TMPDIR,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  DATA_DIR: dataDir,
  PORT: '0',
  FEED: 'simulation:journeys',
  RATE_LIMITS: 'x1000',
  CHECKPOINT_SECONDS: '5',
})

/**
 * Starts the product like a new user: `node server/app/main.ts` with a separate data folder, on a free port. Simulated
 * prices have a fixed seed, and rate limits are high, because every test registers someone.
 */
export async function startServer(options: {
  dataDir: string
  port?: number
  /** Additional settings. */
  settings?: Record<string, string>
}): Promise<Server> {
  const child = spawn(process.execPath, ['server/app/main.ts'], {
    cwd: ROOT,
    env: { ...settingsOf(options.dataDir), PORT: String(options.port ?? 0), ...options.settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const port = await printedPort(child)

  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    const patience = setTimeout(() => child.kill('SIGKILL'), 20_000)
    await gone
    clearTimeout(patience)
  }

  return {
    origin: `http://localhost:${port}`,
    port,
    pid: child.pid!,
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
  }
}

function printedPort(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not start within five minutes:\n${said}`))
    }, 300_000)
    const listen = (bytes: Buffer) => {
      said += bytes.toString()
      const port = UP.exec(said)?.[1]
      if (port === undefined) return
      clearTimeout(timer)
      resolve(Number(port))
    }
    child.stdout?.on('data', listen)
    child.stderr?.on('data', listen)
    child.once('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`the server ended with ${code}:\n${said}`))
    })
  })
}
