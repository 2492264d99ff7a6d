import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { discard } from '#tests/support/servers/server.ts'
import { CLUSTER_FAULTS } from './cluster/faults.ts'
import { openCluster } from './cluster/world.ts'
import { FAULTS, type Fault } from './faults/index.ts'
import { plant, readPatches } from './planted.ts'
import { type Planted, plantedTable, tableOf } from './report.ts'
import { type Round, run } from './run.ts'
import { openWorld, type Product, prepare } from './world.ts'

const USAGE = `Breaks the running product under load, and verifies it after every fault.

  npm run faults                          every fault once, less than 12 minutes on two cores
  npm run faults -- --rounds 40 --seed 7  more of them, in another order
  npm run faults -- --only kill           one fault, or one group of them
  npm run faults -- --kills 1000 --cuts 10000 --operations 1000000 --burst 50 --rate 300 --traders 40
                                          until these totals are reached; verifies after every 50 injections
                                          of a fault, with 300 operations a second by 40 traders
  npm run faults -- --list                lists the faults
  npm run faults -- --table FILE          also writes the table for docs/reliability.md
  npm run faults -- --cluster             breaks a cluster instead: two webs, two engines, primary and standby,
                                          Redis, a bucket and nginx; about half an hour on two cores
  npm run faults -- --planted             plants every bug of planted/, and reports which check catches it
  npm run faults -- --planted 07,key      only those whose names contain one of these`

const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string' },
    kills: { type: 'string' },
    cuts: { type: 'string' },
    operations: { type: 'string' },
    burst: { type: 'string', default: '1' },
    'rounds-of': { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    table: { type: 'string' },
    data: { type: 'string' },
    calm: { type: 'string', default: '2000' },
    rate: { type: 'string', default: '60' },
    traders: { type: 'string', default: '8' },
    json: { type: 'string' },
    brief: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    planted: { type: 'boolean' },
    jobs: { type: 'string', default: '2' },
    list: { type: 'boolean' },
    help: { type: 'boolean' },
  },
})
const positionals = process.argv
  .slice(2)
  .filter((text, at, all) => all[at - 1] === '--planted' && !text.startsWith('-'))

function fail(text: string): never {
  console.error(text)
  process.exit(1)
}

if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
if (values.list) {
  for (const { group, name, says } of values.cluster ? CLUSTER_FAULTS : FAULTS)
    console.log(`${group.padEnd(9)}${name.padEnd(22)}${says}`)
  process.exit(0)
}
for (const name of [
  'rounds',
  'kills',
  'cuts',
  'operations',
  'burst',
  'seed',
  'calm',
  'rate',
  'traders',
  'jobs',
] as const)
  if (values[name] !== undefined && !/^\d{1,9}$/.test(values[name])) fail(USAGE)
process.exit((values.planted ? await plantAll() : values.cluster ? await breakCluster() : await breakAll()) ? 0 : 1)

/** Returns a function that chooses the fault of each round. */
function chooser<W extends Product>(all: readonly Fault<W>[]): (rounds: readonly Round[]) => Fault<W> | undefined {
  const named = (name: string) =>
    all.find((fault) => fault.name === name) ?? fail(`There is no fault ${name}.\n\n${USAGE}`)
  if (values['rounds-of'] !== undefined) {
    const listed = values['rounds-of'].split(',').map(named)
    return (rounds) => listed[rounds.length]
  }
  const wanted = values.only?.split(',')
  const chosen = all.filter(({ name, group }) => !wanted || wanted.includes(name) || wanted.includes(group))
  if (chosen.length === 0) fail(`There is no fault ${values.only}.\n\n${USAGE}`)
  const possible = chosen.filter((fault) => {
    const missing = fault.missing?.()
    if (missing !== undefined) console.log(`Skipping ${fault.name}: ${missing}`)
    return missing === undefined
  })
  const turn = (from: readonly Fault<W>[], { length }: readonly Round[]) => from[length % from.length]
  const least = {
    kill: Number(values.kills ?? 0),
    cut: Number(values.cuts ?? 0),
    operations: Number(values.operations ?? 0),
  }
  if (least.kill + least.cut + least.operations === 0)
    return (rounds) => (rounds.length < Number(values.rounds ?? possible.length) ? turn(possible, rounds) : undefined)
  return (rounds) => {
    const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
    for (const group of ['kill', 'cut'] as const)
      if (sum((round) => (round.fault.group === group ? round.injected : 0)) < least[group])
        return turn(
          possible.filter((fault) => fault.group === group),
          rounds,
        )
    return sum(({ operations }) => operations) < least.operations ? turn(possible, rounds) : undefined
  }
}

/** Runs the product and breaks it. Returns whether there were no findings. */
async function breakAll(): Promise<boolean> {
  const next = chooser(FAULTS)
  const prepared = values.data ?? (await prepare(Number(values.traders)))
  const isClean = await breakThis(() => openWorld(prepared), next)
  if (values.data === undefined) await discard(prepared)
  return isClean
}

/** The same for a cluster: nodes, databases and their dependencies. */
function breakCluster(): Promise<boolean> {
  return breakThis(() => openCluster(Number(values.traders)), chooser(CLUSTER_FAULTS))
}

async function breakThis<W extends Product>(
  open: () => Promise<W>,
  next: (rounds: readonly Round[]) => Fault<W> | undefined,
): Promise<boolean> {
  const rounds = await run({
    open,
    next,
    burst: Number(values.burst),
    seed: Number(values.seed),
    perSecond: Number(values.rate),
    calmMs: Number(values.calm),
    warmUpMs: 0,
    isBrief: values.brief,
    progress: (text) => console.log(text),
  })
  report(tableOf(rounds))
  const findings = rounds.flatMap((round) => round.findings)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(findings))
  return findings.length === 0
}

/** Plants each bug and checks whether it's caught. Returns whether all were. */
async function plantAll(): Promise<boolean> {
  const wanted = positionals[0]?.split(',')
  const prepared = values.data ?? (await prepare(Number(values.traders)))
  const patches = readPatches(wanted)
  const all: Planted[] = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < patches.length; at = next++)
      all[at] = await plant(patches[at]!, prepared, (text) => console.log(text))
  }
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker))
  if (values.data === undefined) await discard(prepared)
  report(plantedTable(all))
  const missed = all.filter(({ caughtBy }) => caughtBy.size === 0)
  console.log(`\n${all.length - missed.length} of ${all.length} planted bugs were caught.`)
  return missed.length === 0
}

function report(table: string): void {
  console.log(`\n${table}`)
  if (values.table !== undefined) writeFileSync(values.table, `${table}\n`)
}
