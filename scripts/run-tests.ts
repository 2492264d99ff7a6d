/** Runs Vitest and Playwright for `npm test`, `npm run lab` and CI, and adds up what they report. */

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { first } from '#kernel/must.ts'
import { FULL_CHROMIUM } from '#tests/e2e/support/browser.ts'

const root = join(import.meta.dirname, '..')
const bin = join(root, 'node_modules', '.bin')
/** Free memory that the tests' files may need: they take up to 2 GiB at a time. */
const FREE = { inShm: 4 * 2 ** 30, inAll: 8 * 2 ** 30 }

export interface Failure {
  /** File and title, as they are printed. */
  name: string
  /** The first line of its error. */
  error: string
  /** It took too long, or what it waited for did. */
  timedOut: boolean
  /** Where to find the test again; missing for what isn't a test. */
  test?: { runner: 'vitest' | 'playwright'; file: string; title: string; project?: string }
}

interface Counts {
  passed: number
  failed: number
  skipped: number
}

type Report = Counts & { failures: Failure[] }

/** A suite in Playwright's report. */
interface BrowserSuite {
  suites?: BrowserSuite[]
  specs?: {
    file: string
    title: string
    tests: { status: string; projectName: string; results: { status: string; error?: { message?: string } }[] }[]
  }[]
}

/** Opens a run, which adds up the tests of everything that it runs. */
export function openRun() {
  const temporary = temporaryFolder()
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    FORCE_COLOR: process.stdout.isTTY ? '1' : '0',
    NODE_ENV: 'test',
    TMPDIR: temporary,
    // Tests start many servers: let them share compiled code.
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled'),
  }
  const tally = openTally()
  // Ctrl-C reaches the tests too; once they have ended, their files are removed.
  let interrupted = false
  process.on('SIGINT', () => {
    interrupted = true
  })
  process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))

  return {
    ...tally,

    /** Runs Vitest with these arguments. */
    async vitest(args: readonly string[]): Promise<void> {
      const report = join(mkdtempSync(join(temporary, 'report-')), 'vitest.json')
      const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts', 'test-report.mjs')}`]
      const settings = { ...env, TEST_REPORT: report }
      const { status } = spawnSync(join(bin, 'vitest'), ['run', ...reporters, ...args], {
        cwd: root,
        env: settings,
        stdio: 'inherit',
      })
      tally.count(read<Report>(report), status)
      await signals()
    },

    /** Runs the browser tests with these arguments. */
    async playwright(args: readonly string[] = []): Promise<void> {
      const report = join(mkdtempSync(join(temporary, 'report-')), 'playwright.json')
      const { status } = spawnSync(join(bin, 'playwright'), ['test', '--reporter=list,json', ...args], {
        cwd: root,
        env: { ...env, PLAYWRIGHT_JSON_OUTPUT_FILE: report, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' },
        stdio: 'inherit',
      })
      const result = read<{ stats: { expected: number; unexpected: number; skipped: number }; suites: BrowserSuite[] }>(
        report,
      )
      const { expected = 0, unexpected = 0, skipped = 0 } = result?.stats ?? {}
      const counts = { passed: expected, failed: unexpected, skipped }
      tally.count(result && { ...counts, failures: result.suites.flatMap(failuresOf) }, status)
      await signals()
    },

    /** Runs a file of ours with Node; it counts as one test. */
    async command(name: string, args: readonly string[]): Promise<void> {
      const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
      const failures = status === 0 ? [] : [{ name, error: `ended with ${status}`, timedOut: false }]
      tally.count({ passed: 1 - failures.length, failed: failures.length, skipped: 0, failures }, status)
      await signals()
    },

    isInterrupted: () => interrupted,

    /** Prints the failures and the totals, and ends the process. */
    end(notes: readonly string[]): never {
      if (interrupted) process.exit(130)
      tally.print(notes)
      const { passed, failed } = tally.totals
      process.exit(failed === 0 && passed > 0 ? 0 : 1)
    },
  }
}

/** Adds up what the runs report. */
function openTally() {
  const totals: Counts = { passed: 0, failed: 0, skipped: 0 }
  const failures: Failure[] = []

  function fail(name: string): void {
    totals.failed++
    failures.push({ name, error: 'what it printed is above', timedOut: false })
  }

  return {
    totals,
    failures,

    count(result: Report | undefined, status: number | null): void {
      if (!result) {
        fail('a run that ended without a report')
        return
      }
      totals.passed += result.passed
      totals.failed += result.failed
      totals.skipped += result.skipped
      failures.push(...result.failures)
      // An error outside of any test: a failed set-up, or an unhandled error.
      if (status !== 0 && result.failed === 0) fail('something outside of any test')
    },

    print(notes: readonly string[]): void {
      // For CI, which tries some of them again.
      if (process.env.TEST_FAILURES !== undefined) writeFileSync(process.env.TEST_FAILURES, JSON.stringify(failures))
      for (const { name, error } of failures) console.log(`failed: ${name}: ${error}`)
      for (const line of notes) console.log(line)
      const { passed, failed, skipped } = totals
      console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`)
    },
  }
}

/** Lets the signals arrive that came while a child was running. */
function signals(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lists the failures of a suite of browser tests and its nested suites. */
function failuresOf(suite: BrowserSuite): Failure[] {
  const own = (suite.specs ?? []).flatMap(({ file, title, tests }) =>
    tests
      .filter(({ status }) => status === 'unexpected')
      .map(({ results, projectName }) => {
        const text = plain(results[0]?.error?.message)
        return {
          name: `${file} > ${title} (${projectName})`,
          error: first(text.split('\n')),
          timedOut: results[0]?.status === 'timedOut' || /\btimeout\b|timed out/i.test(text),
          test: { runner: 'playwright' as const, file, title, project: projectName },
        }
      }),
  )
  return [...own, ...(suite.suites ?? []).flatMap(failuresOf)]
}

/** Returns a message without colours. */
function plain(text: string | undefined): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' colours begin with this character
  return (text ?? 'no reason was given').replaceAll(/\u001b\[\d+m/g, '').trim()
}

function read<T>(file: string): T | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined
}

/** What this machine lacks, with the tests that don't run for it. */
export const MISSING = {
  redis: {
    isMissing: () => ['redis-server', 'valkey-server'].every((program) => lacks(program)),
    note: 'The tests over Redis did not run, and the cluster test used PostgreSQL instead: neither redis-server nor valkey-server is installed.',
  },
  openssl: {
    isMissing: () => lacks('openssl', 'version'),
    note: 'The time-stamp tests did not run: openssl is not installed.',
  },
  data: {
    isMissing: () => !existsSync(process.env.MARKET_DATA ?? join(root, '..', 'shared', 'data')),
    note: 'The tests on recorded market data did not run: MARKET_DATA is not a folder.',
  },
  promtool: {
    isMissing: () => lacks('promtool'),
    note: 'The promtool tests of the alert rules did not run: promtool is not installed.',
  },
  chromium: {
    isMissing: () => !existsSync(FULL_CHROMIUM),
    note: `The tests of the installed app did not run: ${FULL_CHROMIUM} is not there.`,
  },
  proxy: {
    isMissing: () => lacks('nginx', '-v') || lacks('openssl', 'version'),
    note: 'The proxy tests did not run, and the cluster test ran without nginx: nginx or openssl is not installed.',
  },
  helm: {
    isMissing: () => lacks('helm', 'version'),
    note: 'Helm did not render the chart: helm is not installed.',
  },
} as const

/** Returns the notes about what is missing here. */
export function missingHere(names: readonly (keyof typeof MISSING)[]): string[] {
  return names.flatMap((name) => (MISSING[name].isMissing() ? [MISSING[name].note] : []))
}

function lacks(program: string, question = '--version'): boolean {
  return spawnSync(program, [question]).status !== 0
}

/**
 * Creates the folder for the tests' files: in memory if there is room and `TMPDIR` names no other place. They copy and
 * remove hundreds of databases, and on a disk, that takes nearly a third of the processor time of all tests but the
 * browser's.
 */
function temporaryFolder(): string {
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
function freeMemory(): number {
  return Math.min(freemem(), process.availableMemory?.() ?? Number.POSITIVE_INFINITY)
}

function openFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'cleartick-tests-'))
  // When run as root, the database runs as another user, who needs access to the folder.
  chmodSync(folder, 0o711)
  return folder
}

/** Some machines don't let programs run from memory, and the browser is unpacked there. */
function mayRunPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
