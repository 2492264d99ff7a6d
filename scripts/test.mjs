/**
 * `npm test`: everything. Unit, room, flow and fault tests with Vitest, then the browser journeys with Playwright; ends
 * with one line that counts both. Arguments go to Vitest: `npm test -- server/ledger`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
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
/** What failed, and what passed only when it was tried again, by name and with the first line of why: said at the end. */
const broken = []
const doubtful = []

try {
  vitest(process.argv.slice(2))
  if (process.argv.length === 2) browser()
} finally {
  rmSync(reports, { recursive: true, force: true })
}

for (const line of doubtful) console.log(`passed at the second try: ${line}`)
for (const line of broken) console.log(`failed: ${line}`)
for (const line of notRun) console.log(line)
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

function vitest(args) {
  const report = join(reports, 'vitest.json')
  const done = spawnSync(
    join(bin, 'vitest'),
    ['run', '--retry=1', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...args],
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
  for (const file of result?.testResults ?? []) {
    const name = relative(root, file.name)
    if (file.status === 'failed' && file.assertionResults.length === 0) {
      failed++
      broken.push(`${name}: ${firstLine(file.message)}`)
    }
    for (const test of file.assertionResults) {
      const line = `${name} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`
      if (test.status === 'failed') broken.push(line)
      else if (test.failureMessages.length > 0) doubtful.push(line)
    }
  }
  const data = process.env.MARKET_DATA ?? join(root, '..', 'shared', 'data')
  if (!existsSync(data)) notRun.push('The tests on recorded market data did not run: MARKET_DATA names no folder.')
}

function browser() {
  const folder = join(root, 'tests', 'e2e')
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.spec.ts'))) return
  const report = join(reports, 'playwright.json')
  const done = spawnSync(join(bin, 'playwright'), ['test', '--retries=1', '--reporter=list,json'], {
    cwd: root,
    env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
    stdio: 'inherit',
  })
  const result = read(report)
  const stats = result?.stats
  for (const suite of result?.suites ?? []) collect(suite)
  count(
    stats && { passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped },
    done.status,
  )
}

/** What went wrong in a set of browser tests and those within it. */
function collect(suite) {
  for (const inner of suite.suites ?? []) collect(inner)
  for (const { file, title, tests } of suite.specs ?? [])
    for (const { status, results, projectName } of tests) {
      const line = `${file} > ${title} (${projectName}): ${firstLine(results[0]?.error?.message)}`
      if (status === 'unexpected') broken.push(line)
      else if (status === 'flaky') doubtful.push(line)
    }
}

function firstLine(text) {
  return (text ?? 'no reason was given').trim().split('\n')[0]
}

function count(counts, status) {
  if (!counts) failed++
  else {
    passed += counts.passed
    failed += counts.failed
    skipped += counts.skipped
    // Something outside a test went wrong (a set-up, an unhandled error).
    if (status !== 0 && counts.failed === 0) {
      failed++
      broken.push('something outside of any test: what is printed above as unhandled, or as a set-up that failed')
    }
  }
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
