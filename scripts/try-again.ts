/**
 * CI's second try: `node scripts/try-again.ts FAILURES…` reads the failures of earlier runs and runs each test that may
 * only have been slow once more, by itself. Prints `flaky: NAME` for each that passes then. Exits with 0 if that explains
 * all failures, and there are few.
 */

import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { must } from '#kernel/must.ts'
import { type Failure, openRun } from './run-tests.ts'

/** More tests than this don't fail by chance. */
const MOST_FLAKY = 3
/** Browser tests about money, the tape, rights or verification: a wrong value there is no accident. */
const GUARANTEES =
  /(^|\/)(automatic-stop|complaints|desk|desk-reversals|desk-two-people|incidents|journey|limits|live-prices|money|orders|receipts|solvency|stored-xss)\.spec\.ts$/

/** Whether a failure may be a matter of time. A failed assertion in a unit, room or flow test never is. */
export function mayPassAgain({ timedOut, test }: Failure): boolean {
  if (!test) return false
  return timedOut || (test.runner === 'playwright' && !GUARANTEES.test(test.file))
}

/** Returns the arguments that run this test alone. */
export function argumentsFor({ runner, file, title, project }: NonNullable<Failure['test']>): string[] {
  // Vitest reports the groups of a test with ' > ' between them, and matches them with a space.
  const pattern = `${title.replaceAll(' > ', ' ').replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`
  return runner === 'vitest' ? [file, '-t', pattern] : [file, '-g', pattern, `--project=${project}`]
}

async function main(files: readonly string[]): Promise<boolean> {
  const failures = files.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')) as Failure[])
  const certain = failures.filter((failure) => !mayPassAgain(failure))
  if (certain.length > 0 || failures.length > MOST_FLAKY) return false
  const run = openRun()
  const flaky: string[] = []
  for (const { name, test } of failures) {
    const before = { ...run.totals }
    await run[must(test).runner](argumentsFor(must(test)))
    if (run.totals.failed === before.failed && run.totals.passed > before.passed) flaky.push(name)
  }
  for (const name of flaky) console.log(`flaky: ${name}`)
  return flaky.length === failures.length
}

if (import.meta.url === pathToFileURL(must(process.argv[1])).href)
  process.exit((await main(process.argv.slice(2))) ? 0 : 1)
