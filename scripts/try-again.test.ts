import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Failure } from './run-tests.ts'
import { argumentsFor, mayPassAgain } from './try-again.ts'

const failure = (file: string, more: Partial<Failure> = {}): Failure => ({
  name: file,
  error: 'expected 1 to be 2',
  timedOut: false,
  test: { runner: file.endsWith('.spec.ts') ? 'playwright' : 'vitest', file, title: 'a test', project: 'desktop' },
  ...more,
})

test.each([
  [failure('site.spec.ts'), true],
  [failure('site.spec.ts', { timedOut: true }), true],
  [failure('money.spec.ts', { timedOut: true }), true],
  [failure('server/ledger/ledger.test.ts', { timedOut: true }), true],
  // Wrong values about money, the tape, rights or verification.
  [failure('money.spec.ts'), false],
  [failure('receipts.spec.ts'), false],
  [failure('server/ledger/ledger.test.ts'), false],
  [failure('web/ui/button.test.tsx'), false],
  // A run that ended without a report, or a failed set-up.
  [{ name: 'a run that ended without a report', error: '', timedOut: false }, false],
])('%# may pass again: %s', (one, may) => {
  expect(mayPassAgain(one)).toBe(may)
})

test('runs exactly one test again', () => {
  expect(argumentsFor(failure('site.spec.ts', {}).test!)).toEqual([
    'site.spec.ts',
    '-g',
    'a test$',
    '--project=desktop',
  ])
  expect(argumentsFor({ runner: 'vitest', file: 'a.test.ts', title: 'pays $5.00 (once)' })).toEqual([
    'a.test.ts',
    '-t',
    'pays \\$5\\.00 \\(once\\)$',
  ])
})

/** Runs the command on these failures. */
function tryAgain(...failures: Failure[]) {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-again-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'failures.json')
  writeFileSync(file, JSON.stringify(failures))
  const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, 'try-again.ts'), file], {
    encoding: 'utf8',
  })
  return { status, flaky: stdout.split('\n').filter((line) => line.startsWith('flaky: ')) }
}

test('a test that passes alone was flaky; one that fails again, or was certain, stays red', () => {
  const slow = (title: string): Failure => ({
    name: title,
    error: 'Test timed out in 30000ms.',
    timedOut: true,
    test: { runner: 'vitest', file: 'kernel/money.test.ts', title },
  })
  const passing = slow('parses valid amounts')
  expect(tryAgain(passing)).toEqual({ status: 0, flaky: ['flaky: parses valid amounts'] })
  expect(tryAgain(slow('no such test'))).toEqual({ status: 1, flaky: [] })
  expect(tryAgain(passing, failure('server/ledger/ledger.test.ts'))).toEqual({ status: 1, flaky: [] })
  expect(tryAgain(passing, passing, passing, passing)).toEqual({ status: 1, flaky: [] })
})
