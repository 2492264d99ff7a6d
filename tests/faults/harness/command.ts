import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { discard } from '#tests/support/server.ts'
import { FAULTS, type Fault } from './faults/index.ts'
import { tableOf } from './report.ts'
import { run } from './run.ts'
import { prepare } from './world.ts'

const USAGE = `Breaks the running product under load, and verifies it after every fault.

  npm run faults                          every fault once, less than 12 minutes on two cores
  npm run faults -- --rounds 40 --seed 7  more of them, in another order
  npm run faults -- --only kill           one fault, or one group of them
  npm run faults -- --list                what there is
  npm run faults -- --table FILE          also writes the table that docs/reliability.md has`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    table: { type: 'string' },
    data: { type: 'string' },
    calm: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '60' },
    json: { type: 'string' },
    list: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})

function fail(text: string): never {
  console.error(text)
  process.exit(1)
}

const wanted = values.only?.split(',')
const chosen = FAULTS.filter(({ name, group }) => !wanted || wanted.includes(name) || wanted.includes(group))
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
if (values.list) {
  for (const { group, name, says } of FAULTS) console.log(`${group.padEnd(9)}${name.padEnd(18)}${says}`)
  process.exit(0)
}
if (chosen.length === 0) fail(`There is no fault ${values.only}.\n\n${USAGE}`)
for (const number of [values.rounds, values.seed, values.calm, values.rate])
  if (number !== undefined && !/^\d{1,9}$/.test(number)) fail(USAGE)

const possible = chosen.filter((fault) => {
  const missing = fault.missing?.()
  if (missing !== undefined) console.log(`${fault.name} is left out: ${missing}`)
  return missing === undefined
})
const count = Number(values.rounds ?? possible.length)
const faults = Array.from({ length: count }, (_, n): Fault => possible[n % possible.length]!)

const prepared = values.data ?? (await prepare())
const rounds = await run({
  prepared,
  faults,
  seed: Number(values.seed),
  perSecond: Number(values.rate),
  calmMs: Number(values.calm),
  isStrict: false,
  progress: (text) => console.log(text),
})
if (values.data === undefined) await discard(prepared)
console.log(`\n${tableOf(rounds)}`)
if (values.table !== undefined) writeFileSync(values.table, `${tableOf(rounds)}\n`)
const findings = rounds.flatMap((round) => round.findings)
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(findings))
process.exit(findings.length === 0 ? 0 : 1)
