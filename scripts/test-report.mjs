/**
 * A Vitest reporter that writes the numbers for the summary of `npm test`: how many tests passed, failed and were
 * skipped, and each failure. Includes failed set-ups (their tests count as skipped) and errors outside of any test.
 */
import { writeFileSync } from 'node:fs'

export default class TestReport {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const failures = []
    for (const module of modules) {
      const file = module.relativeModuleId
      for (const error of module.errors()) setUp(file, error)
      for (const suite of module.children.allSuites())
        for (const error of suite.errors()) setUp(`${file} > ${suite.fullName}`, error)
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        counts[state === 'pending' ? 'skipped' : state]++
        if (state === 'failed') note(file, test.fullName, errors?.[0])
      }
    }
    for (const error of unhandledErrors) setUp('unhandled, outside of any test', error)
    writeFileSync(process.env.TEST_REPORT, JSON.stringify({ ...counts, failures }))

    function setUp(where, error) {
      counts.failed++
      note(where, undefined, error)
    }

    function note(file, title, error) {
      const failure = { name: file, error: firstLine(error), timedOut: isTimeout(error) }
      if (title === undefined) failures.push(failure)
      else failures.push({ ...failure, name: `${file} > ${title}`, test: { runner: 'vitest', file, title } })
    }
  }
}

/** Whether a test, a hook or a condition that a test waits for took too long. */
function isTimeout(error) {
  return (
    /^(Test|Hook) timed out in /.test(error?.message ?? '') ||
    error?.cause?.message === 'Matcher did not succeed in time.'
  )
}

function firstLine(error) {
  const [line] = (error?.message ?? 'no reason was given').trim().split('\n')
  const place = error?.stacks?.[0]
  return place ? `${line} (${place.file.replace(`${process.cwd()}/`, '')}:${place.line})` : line
}
