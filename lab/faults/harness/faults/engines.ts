import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#server/platform/database/db.ts'
import { APP_ROLE, withRole } from '#server/platform/postgres/provision.ts'
import { processOf } from '#tests/support/servers/nodes.ts'
import { startServer } from '#tests/support/servers/server.ts'
import type { World } from '../world.ts'
import type { Fault } from './fault.ts'
import { roleOf } from './kills.ts'

/**
 * Longer than other engines wait for a leader, even on a busy machine; shorter than a supervisor waits for its process.
 */
const PAUSED_MS = 6_000

/** A second engine on the same database. It takes over while the first is paused, and the first wakes up later. */
export const engines: Fault[] = [
  {
    name: 'two-engines',
    says: 'two engines: the leader is paused for 6 s, twice, then killed',
    group: 'engines',
    async inject({ world }) {
      const folder = world.folder()
      const second = await startServer(folder, { ...ownDatabase(world), ROLES: 'engine' })
      try {
        for (let times = 0; times < 2; times++) {
          const leader = await leaderOf(world)
          process.kill(leader, 'SIGSTOP')
          try {
            await sleep(PAUSED_MS)
            if ((await leaderOf(world)) === leader) throw new Error('no engine took over from one that hangs')
          } finally {
            process.kill(leader, 'SIGCONT')
          }
          await sleep(2_000)
        }
        const ours = await roleOf(world, 'engine')
        const theirs = processOf(second.pid, 'engine')
        const leader = await leaderOf(world)
        if (leader !== ours && leader !== theirs) throw new Error(`process ${leader} leads, which isn't an engine`)
        process.kill(leader, 'SIGKILL')
        await sleep(1_000)
      } finally {
        await second.end('SIGTERM')
      }
      return 3
    },
  },
]

/** Settings for the world's PostgreSQL with the server's login: only that login may end a silent leader's session. */
export function ownDatabase({ dataDir }: World): Record<string, string> {
  const read = (file: string) => readFileSync(join(dataDir, file), 'utf8').trim()
  const owner = read('database-url')
  const { app } = JSON.parse(read('database-roles.json')) as { app: string }
  return { DATABASE_URL: owner, DATABASE_APP_URL: withRole(owner, APP_ROLE, app) }
}

/** Returns the process that holds the tape's lock. */
async function leaderOf({ database }: World): Promise<number> {
  for (let waited = 0; waited < 15_000; waited += 100) {
    const { rows } = await sql<{ name: string }>`
      select a.application_name as name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.objid = 7301 and l.granted`.execute(database.db)
    const pid = Number(/^cleartick tape (\d+) on /.exec(rows[0]?.name ?? '')?.[1])
    if (pid > 0) return pid
    await sleep(100)
  }
  throw new Error('no engine leads')
}
