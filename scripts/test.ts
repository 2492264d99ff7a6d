/**
 * `npm test`: runs unit, room and flow tests with Vitest, then the browser journeys with Playwright, and ends with one
 * line of totals. Never tries a test again. With arguments, runs only Vitest with them: `npm test -- server/ledger`.
 */
import { missingHere, openRun } from './run-tests.ts'

const args = process.argv.slice(2)
const run = openRun()
if (args.length > 0) await run.vitest(args)
else {
  // What measures or breaks the product runs with `npm run lab`.
  await run.vitest(['--project=!lab'])
  if (!run.isInterrupted())
    await run.playwright(['desktop', 'desktop, long', 'phone'].map((name) => `--project=${name}`))
}
run.end(missingHere(['redis', 'openssl', 'data', 'promtool', 'chromium']))
