import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { StartProblem } from './start-problem.ts'

/**
 * Ensures that only one server at a time uses a data folder. The kernel releases the lock when its holder dies, however
 * it dies: an abstract socket named after the folder on Linux, a loopback port elsewhere. (A pid file fails when the
 * number is reused by another process, and two concurrent first starts would both create a database.)
 */
export async function lockData(dataDir: string): Promise<{ release(): Promise<void> }> {
  const hash = createHash('sha256').update(dataDir).digest()
  const server = createServer()
  const held = await new Promise<boolean>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    const taken = () => resolve(true)
    if (process.platform === 'linux') server.listen({ path: `\0cleartick-${hash.toString('hex').slice(0, 40)}` }, taken)
    else server.listen({ host: '127.0.0.1', port: 49_152 + (hash.readUInt16BE(0) % 16_000) }, taken)
  })
  if (!held) {
    throw new StartProblem(
      `Cleartick is already running on the data in ${dataDir}.\nStop it first, or start this one with another folder: DATA_DIR=.data2 PORT=3001 npm start`,
    )
  }
  server.unref()
  return { release: () => close(server) }
}

const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))
