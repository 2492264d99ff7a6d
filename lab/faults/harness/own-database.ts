import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { createLog } from '#server/platform/process/log.ts'

/** Runs an installation's PostgreSQL without its server. `url`: the superuser's address of its database. */
export async function openOwnDatabase(dataDir: string): Promise<{ url: string; stop(): Promise<void> }> {
  const postgres = await startEmbedded({ dataDir, log: createLog('error') })
  const url = readFileSync(join(dataDir, 'database-url'), 'utf8').trim()
  return { url, stop: () => postgres.stop() }
}
