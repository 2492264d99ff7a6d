/**
 * `npm test`: everything. Unit, room, flow and fault tests with Vitest, then the browser journeys with Playwright; ends
 * with one line that counts both. Arguments go to Vitest: `npm test -- server/ledger`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const bin = join(root, 'node_modules', '.bin')
const reports = mkdtempSync(join(tmpdir(), 'cleartick-report-'))
const env = {
  ...process.env,
  PATH: `${bin}:${process.env.PATH}`,
  FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
  NODE_ENV: 'test',
}
let passed = 0
let failed = 0
let skipped = 0
const notRun = []

try {
  vitest(process.argv.slice(2))
  if (process.argv.length === 2) browser()
} finally {
  rmSync(reports, { recursive: true, force: true })
}

for (const line of notRun) console.log(line)
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

function vitest(args) {
  const report = join(reports, 'vitest.json')
  const done = spawnSync(
    join(bin, 'vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
    { cwd: root, env, stdio: 'inherit' },
  )
  const result = read(report)
  count(
    result
      ? {
          passed: result.numPassedTests,
          failed: result.numFailedTests,
          skipped: result.numPendingTests + result.numTodoTests,
        }
      : undefined,
    done.status,
  )
  // A file that does not even load has no tests that could fail.
  for (const file of result?.testResults ?? [])
    if (file.status === 'failed' && file.assertionResults.length === 0) failed++
  const data = process.env.MARKET_DATA ?? join(root, '..', 'shared', 'data')
  if (!existsSync(data)) notRun.push('The tests on recorded market data did not run: MARKET_DATA names no folder.')
}

function browser() {
  const folder = join(root, 'tests', 'e2e')
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.spec.ts'))) return
  const report = join(reports, 'playwright.json')
  const done = spawnSync(join(bin, 'playwright'), ['test', '--reporter=list,json'], {
    cwd: root,
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    stdio: 'inherit',
  })
  const stats = read(report)?.stats
  count(
    stats && { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped },
    done.status,
  )
}

function count(counts, status) {
  if (!counts) failed++
  else {
    passed += counts.passed
    failed += counts.failed
    skipped += counts.skipped
    // Something outside a test went wrong (a set-up, an unhandled error).
    if (status !== 0 && counts.failed === 0) failed++
  }
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
