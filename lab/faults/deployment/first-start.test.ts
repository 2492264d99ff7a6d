import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sql } from '#server/platform/database/db.ts'
import { childrenOf } from '#tests/support/servers/nodes.ts'
import { dataFolder, launch, openSuper, postmasterOf } from '#tests/support/servers/server.ts'

/** A start is killed so many milliseconds after it has written this file. `initdb` takes about half a second. */
const KILLS = Object.entries({
  'postgres.password': [0],
  'postgres.new-*': [0, 20, 50, 100, 150, 200, 300, 400, 500],
  'postgres.port': [0],
  'postgres/postmaster.pid': [0, 50, 100, 150, 200],
  // The keys follow within milliseconds.
  'database-url': [0, 1, 3, 10],
}).flatMap(([file, delays]) => delays.map((afterMs) => ({ file, afterMs })))

test('a first start that is killed 20 times, at any point, still starts', async () => {
  const dataDir = dataFolder()
  /** Changes when the file is written. */
  function stateOf(file: string): unknown {
    if (file !== 'postgres.new-*') return statSync(join(dataDir, file), { throwIfNoEntry: false })?.ctimeMs
    // After a long wait, the database may be complete.
    if (existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return 'complete'
    return readdirSync(dataDir).find((name) => name.startsWith('postgres.new-'))
  }

  async function startUntil(attempt: number, file: string, afterMs: number): Promise<void> {
    const before = stateOf(file)
    const { child, ended, output } = launch('tests/support/servers/first-start.ts', {}, [dataDir])
    while ([undefined, before].includes(stateOf(file)) && stateOf(file) !== 'complete') {
      expect(child.exitCode, output()).toBeNull()
      await sleep(1)
    }
    await sleep(afterMs)
    // Every other time with initdb or PostgreSQL, as when the machine fails.
    const others = attempt % 2 === 0 ? [] : childrenOf(child.pid!)
    for (const pid of [child.pid!, ...others]) process.kill(pid, 'SIGKILL')
    expect(await ended, output()).toBeNull()
  }

  for (const [attempt, { file, afterMs }] of KILLS.entries()) await startUntil(attempt, file, afterMs)
  expect(KILLS).toHaveLength(20)

  const orphan = postmasterOf(dataDir)
  const { child, ended, output } = launch('tests/support/servers/first-start.ts', {}, [dataDir])
  async function answer(): Promise<unknown> {
    if ([undefined, orphan].includes(postmasterOf(dataDir))) return `not up: ${output()}`
    const { db, close } = openSuper(dataDir)
    try {
      return (await sql<{ n: number }>`select 1 as n`.execute(db)).rows
    } catch (error) {
      return String(error)
    } finally {
      await close()
    }
  }
  await expect.poll(answer, { timeout: 60_000 }).toEqual([{ n: 1 }])
  child.kill('SIGKILL')
  await ended
})
