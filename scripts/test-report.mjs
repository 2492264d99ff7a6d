/**
 * A Vitest reporter that writes the numbers for the summary of `npm test`: how many tests passed, failed and were
 * skipped, and the name and first error line of each failure. Includes failed set-ups (their tests count as skipped)
 * and errors outside of any test.
 */
import { writeFileSync } from 'node:fs'

export default class TestReport {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const broken = []
    for (const module of modules) {
      const file = module.relativeModuleId
      for (const error of module.errors()) note(file, error)
      for (const suite of module.children.allSuites())
        for (const error of suite.errors()) note(`${file} > ${suite.fullName}`, error)
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        counts[state === 'pending' ? 'skipped' : state]++
        if (state === 'failed') broken.push(`${file} > ${test.fullName}: ${firstLine(errors?.[0])}`)
      }
    }
    for (const error of unhandledErrors) note('unhandled, outside of any test', error)
    writeFileSync(process.env.TEST_REPORT, JSON.stringify({ ...counts, broken }))

    function note(where, error) {
      counts.failed++
      broken.push(`${where}: ${firstLine(error)}`)
    }
  }
}

function firstLine(error) {
  const [line] = (error?.message ?? 'no reason was given').trim().split('\n')
  const place = error?.stacks?.[0]
  return place ? `${line} (${place.file.replace(`${process.cwd()}/`, '')}:${place.line})` : line
}
