/**
 * `npm run check`: types, lint and format, room boundaries, long functions, wide folders, exports for tests only, table
 * owners, readiness for a distributed database, the page of settings, file names on pages, the ASVS rows, wording,
 * planted bugs, migrations, and the committed schema.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const bin = (name) => join(root, 'node_modules', '.bin', name)

const checks = [
  ['route types', bin('react-router'), ['typegen']],
  ['types', bin('tsc'), ['--noEmit', '-p', '.']],
  ['lint', bin('biome'), ['ci', '--colors=off', '--error-on-warnings', '.']],
  ['boundaries', bin('node'), ['scripts/checks/boundaries.ts']],
  ['long functions', bin('node'), ['scripts/checks/shape.ts']],
  ['wide folders', bin('node'), ['scripts/checks/folders.ts']],
  ['test-only exports', bin('node'), ['scripts/checks/test-only-exports.ts']],
  ['table owners', bin('node'), ['scripts/checks/tables.ts']],
  ['distribution', bin('node'), ['scripts/distribution.ts']],
  ['settings', bin('node'), ['scripts/settings.ts', '--check']],
  ['named files', bin('node'), ['scripts/checks/named-files.ts']],
  ['asvs', bin('node'), ['scripts/checks/asvs.ts']],
  ['wording', bin('node'), ['scripts/checks/wording.ts']],
  ['planted bugs', bin('node'), ['lab/faults/harness/planted.ts']],
  ['migrations', bin('node'), ['scripts/checks/migrations.ts']],
  ['schema', bin('node'), ['scripts/dump-schema.ts', '--check']],
]

let failed = 0
for (const [name, command, args] of checks) {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` },
  })
  const ok = done.status === 0
  if (!ok) failed++
  console.log(`${ok ? 'ok    ' : 'FAILED'} ${name}`)
  if (!ok) console.log(`${done.stdout ?? ''}${done.stderr ?? ''}`)
}
process.exit(failed === 0 ? 0 : 1)
