/**
 * `npm test`: runs unit, room, flow and fault tests with Vitest, then the browser journeys with Playwright, and ends
 * with one line of totals. Passes arguments to Vitest: `npm test -- server/ledger`.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const bin = join(root, 'node_modules', '.bin')
/** Free memory that the tests' files may need: they take up to 2 GiB at a time. */
const FREE = { inShm: 4 * 2 ** 30, inAll: 8 * 2 ** 30 }
const temporary = temporaryFolder()
const reports = mkdtempSync(join(temporary, 'cleartick-report-'))
const env = {
  ...process.env,
  PATH: `${bin}:${process.env.PATH}`,
  FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
  NODE_ENV: 'test',
  TMPDIR: temporary,
  // Tests start many servers: let them share compiled code.
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
}
let passed = 0
let failed = 0
let skipped = 0
const notRun = []
/** The failures, each as a name and the first line of its error. Printed at the end. */
const broken = []

// Ctrl-C reaches the tests too; once they have ended, their files are removed.
let interrupted = false
process.on('SIGINT', () => {
  interrupted = true
})

try {
  vitest(process.argv.slice(2))
  await signals()
  if (process.argv.length === 2 && !interrupted) browser()
  await signals()
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
if (interrupted) process.exit(130)

for (const line of broken) console.log(`failed: ${line}`)
for (const line of notRun) console.log(line)
console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)

/** Lets the signals arrive that came while a child was running. */
function signals() {
  return new Promise((resolve) => setImmediate(resolve))
}

/**
 * Creates the folder for the tests' files: in memory if there is room and `TMPDIR` names no other place. They copy and remove hundreds of databases, and
 * on a disk, that takes nearly a third of the processor time of all tests but the browser's.
 */
function temporaryFolder() {
  const inMemory = '/dev/shm'
  if (process.env.TMPDIR === undefined && freeMemory() >= FREE.inAll && existsSync(inMemory)) {
    const { bavail, bsize } = statfsSync(inMemory)
    if (bavail * bsize >= FREE.inShm) {
      const folder = openFolder(inMemory)
      if (mayRunPrograms(folder)) return folder
      rmSync(folder, { recursive: true })
    }
  }
  return openFolder(tmpdir())
}

/** Free memory in bytes, also in a container that may use less than the machine has. */
function freeMemory() {
  return Math.min(freemem(), process.availableMemory?.() ?? Number.POSITIVE_INFINITY)
}

function openFolder(parent) {
  const folder = mkdtempSync(join(parent, 'cleartick-tests-'))
  // When run as root, the database runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  return folder
}

/** Some machines don't let programs run from memory, and the browser is unpacked there. */
function mayRunPrograms(folder) {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}

function vitest(args) {
  const report = join(reports, 'vitest.json')
  const done = spawnSync(
    join(bin, 'vitest'),
    ['run', '--reporter=default', `--reporter=${join(root, 'scripts', 'test-report.mjs')}`, ...args],
    { cwd: root, env: { ...env, TEST_REPORT: report }, stdio: 'inherit' },
  )
  const result = read(report)
  count(result, done.status)
  broken.push(...(result?.broken ?? []))
  if (['redis-server', 'valkey-server'].every((program) => spawnSync(program, ['--version']).status !== 0))
    notRun.push(
      'The tests over Redis did not run, and the cluster test used PostgreSQL instead: neither redis-server nor valkey-server is installed.',
    )
  if (spawnSync('promtool', ['--version']).status !== 0)
    notRun.push('The promtool tests of the alert rules did not run: promtool is not installed.')
  if (spawnSync('nginx', ['-v']).status !== 0 || spawnSync('openssl', ['version']).status !== 0)
    notRun.push(
      'The proxy tests did not run, and the cluster test ran without nginx: nginx or openssl is not installed.',
    )
  if (spawnSync('openssl', ['version']).status !== 0)
    notRun.push('The time-stamp tests did not run: openssl is not installed.')
  if (spawnSync('helm', ['version']).status !== 0) notRun.push('Helm did not render the chart: helm is not installed.')
  const data = process.env.MARKET_DATA ?? join(root, '..', 'shared', 'data')
  if (!existsSync(data)) notRun.push('The tests on recorded market data did not run: MARKET_DATA is not a folder.')
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
  const result = read(report)
  const stats = result?.stats
  for (const suite of result?.suites ?? []) collect(suite)
  count(stats && { passed: stats.expected, failed: stats.unexpected, skipped: stats.skipped }, done.status)
}

/** Collects the failures of a suite of browser tests and its nested suites. */
function collect(suite) {
  for (const inner of suite.suites ?? []) collect(inner)
  for (const { file, title, tests } of suite.specs ?? [])
    for (const { status, results, projectName } of tests) {
      if (status === 'unexpected')
        broken.push(`${file} > ${title} (${projectName}): ${firstLine(results[0]?.error?.message)}`)
    }
}

function firstLine(text) {
  return (text ?? 'no reason was given').trim().split('\n')[0]
}

function count(counts, status) {
  if (!counts) {
    failed++
    broken.push('a run that ended without a report: what it printed is above')
  } else {
    passed += counts.passed
    failed += counts.failed
    skipped += counts.skipped
    // An error outside of any test: a failed set-up, or an unhandled error.
    if (status !== 0 && counts.failed === 0) {
      failed++
      broken.push('something outside of any test: what it printed is above')
    }
  }
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}
