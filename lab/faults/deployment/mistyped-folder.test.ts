import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/servers/database.ts'
import { dataFolder, launch } from '#tests/support/servers/server.ts'

// The commands that read or write private files. For all others, see the test of the settings.
test.each(['doctor', 'rekey', 'backup'])(
  'npm run %s with a mistyped DATA_DIR says so, and creates nothing',
  async (command) => {
    const { superUrl } = await testDatabase()
    const folder = dataFolder()
    const env = {
      DATA_DIR: join(folder, 'mistyped'),
      FEED: 'simulation',
      BACKUP_KEY: 'ab'.repeat(32),
      BACKUP_URL: join(folder, 'backups'),
    }
    const runs: Record<string, string>[] = [{}, { DATABASE_URL: superUrl, FILES_KEY: 'cd'.repeat(32) }]
    for (const more of runs) {
      const { output, ended } = launch(`ops/commands/${command}-command.ts`, { ...env, ...more })
      expect({ code: await ended, output: output() }).toMatchObject({
        code: 1,
        output: expect.stringMatching(/There is no folder .*mistyped\./),
      })
      expect(output()).not.toMatch(/^ +at /m)
      expect(existsSync(env.DATA_DIR)).toBe(false)
    }
  },
)
