import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { migrate } from '#server/platform/database/migrate.ts'
import { startEmbedded } from '#server/platform/postgres/embedded.ts'
import { provision } from '#server/platform/postgres/provision.ts'
import { createLog } from '#server/platform/process/log.ts'

declare module 'vitest' {
  interface ProvidedContext {
    superUrl: string
    ownerUrl: string
    appUrl: string
  }
}

const TEMPLATE = 'cleartick_template'

/** Starts one PostgreSQL for the whole run, with a migrated database that every test file copies. */
export default async function setup(project: TestProject) {
  const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-test-'))
  const log = createLog('error')
  // Files that run at the same time may have several nodes each, and a node takes up to 40.
  const postgres = await startEmbedded({ dataDir, log, unsafeFast: true, settings: { max_connections: '500' } })
  const urls = await provision(postgres.superUrl, dataDir, TEMPLATE)
  await migrate(urls.owner)
  project.provide('superUrl', postgres.superUrl)
  project.provide('ownerUrl', urls.owner)
  project.provide('appUrl', urls.app)
  return async () => {
    await postgres.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
