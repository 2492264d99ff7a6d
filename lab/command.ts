/**
 * `npm run lab`: runs what measures and breaks the product, all of it or the named part, and ends with one line of
 * totals: each test and each command counts as one.
 */

import { MISSING, missingHere, openRun } from '../scripts/run-tests.ts'
import { type Experiment, LAB } from './lab.ts'

const USAGE = `Measures and breaks the product.

  npm run lab                       everything, in its short form; 80 minutes on two cores
  npm run lab -- NAME [arguments]   one part, with its own arguments: npm run lab -- faults --only kill
  npm run lab -- --ci               what CI runs after npm test
  npm run lab -- --list             lists the parts`

const [name, ...args] = process.argv.slice(2)
const known = Object.keys(LAB)
if (name === '--help' || (name !== undefined && !known.includes(name) && !['--ci', '--list'].includes(name))) {
  console.log(name === '--help' ? USAGE : `There is no part ${name}: it's one of ${known.join(', ')}.\n\n${USAGE}`)
  process.exit(name === '--help' ? 0 : 1)
}
if (name === '--list') {
  const width = Math.max(...known.map((part) => part.length)) + 2
  for (const [part, { does }] of Object.entries(LAB)) console.log(`${part.padEnd(width)}${does}`)
  process.exit(0)
}

const run = openRun()
if (name === undefined || name === '--ci') {
  const chosen = Object.entries(LAB).filter(([, { inCi }]) => name === undefined || inCi)
  await test(chosen.flatMap(([, { tests }]) => tests ?? []))
  await browse(chosen.flatMap(([, { browser }]) => browser ?? []))
  // Commands measure: one after the other.
  for (const [part, experiment] of chosen)
    if (experiment.command && !experiment.tests) await command(part, experiment, experiment.short ?? [])
} else {
  const experiment = LAB[name]!
  // With arguments, the command; without, the tests where there are some.
  if (experiment.browser) await browse([...experiment.browser, ...args])
  else if (experiment.tests && (args.length === 0 || !experiment.command)) await test([...experiment.tests, ...args])
  else await command(name, experiment, args)
}
run.end(missingHere(Object.keys(MISSING) as (keyof typeof MISSING)[]))

async function test(files: readonly string[]): Promise<void> {
  if (!run.isInterrupted()) await run.vitest(['--project=lab', ...files])
}

async function browse(files: readonly string[]): Promise<void> {
  if (!run.isInterrupted()) await run.playwright(['--project=lab', ...files])
}

async function command(part: string, experiment: Experiment, given: readonly string[]): Promise<void> {
  if (run.isInterrupted()) return
  console.log(`\n${part}: ${experiment.does}`)
  await run.command(part, [...experiment.command!, ...given])
}
