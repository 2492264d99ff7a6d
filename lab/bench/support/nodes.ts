import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Starts nodes of the product on one database, as an installation of several machines would. */
export function nodesOn(databaseUrl: string, dataDir: string) {
  const started: ChildProcess[] = []

  /** Starts a node and waits until it is up. Only a web node has a port. */
  async function start(roles: 'engine' | 'web'): Promise<{ pid: number; port: number }> {
    const child = spawn(process.execPath, [fileURLToPath(new URL('../../../server/app/main.ts', import.meta.url))], {
      env: {
        PATH: process.env.PATH,
        PORT: '0',
        ROLES: roles,
        DATABASE_URL: databaseUrl,
        FILES_KEY: 'ab'.repeat(32),
        DATA_DIR: join(dataDir, `${roles}-${started.length}`),
        FEED: 'simulation',
        LOG_LEVEL: 'error',
        RATE_LIMITS: 'x1000',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    started.push(child)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (bytes: Buffer) => {
        output += bytes
      })
    }
    const site = /Site +http:\/\/localhost:(\d+)/
    for (let waited = 0; roles === 'web' ? !site.test(output) : !/is up/.test(output); waited += 50) {
      if (waited > 60_000 || child.exitCode !== null) throw new Error(`a node did not come up:\n${output}`)
      await sleep(50)
    }
    return { pid: child.pid!, port: Number(site.exec(output)?.[1]) }
  }

  return {
    start,
    stop: () => {
      for (const child of started) child.kill('SIGTERM')
    },
  }
}
