import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type FileScore, type MutationReport, scoresOf, survivorsOf, tableOf } from './report.ts'
import { sampled } from './sample.ts'
import { TARGETS, type Target } from './targets.ts'

const USAGE = `Changes the code in small ways (mutants), and counts how many of them the tests notice.

  npm run mutants -- kernel                          ${Object.keys(TARGETS).join(', ')}
  npm run mutants -- trading --file order,limits     only these files of the target
  npm run mutants -- trading --sample 25 --seed 3    a quarter of the lines, in blocks drawn by the seed
  npm run mutants -- kernel --report survivors.txt   also lists the mutants that no test noticed`

const root = join(import.meta.dirname, '../..')
/** Stryker and its 177 packages: not part of `npm ci`. Inside node_modules, so that it finds our Vitest. */
const tools = join(root, 'node_modules/.cache/mutants')
const stryker = join(tools, 'node_modules/@stryker-mutator/core/bin/stryker.js')

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    file: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string' },
    report: { type: 'string' },
    help: { type: 'boolean' },
  },
})
const target = TARGETS[positionals[0] ?? '']
if (values.help || !target) {
  console.log(USAGE)
  process.exit(values.help ? 0 : 1)
}

install()
const report = run(target, values.file?.split(','))
const scores: FileScore[] = scoresOf(report)
console.log(tableOf(scores))
if (values.report !== undefined) writeFileSync(values.report, survivorsOf(report))

function install(): void {
  if (existsSync(stryker)) return
  mkdirSync(tools, { recursive: true })
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(import.meta.dirname, file), join(tools, file))
  const args = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
  if (spawnSync('npm', args, { cwd: tools, stdio: 'inherit' }).status !== 0) process.exit(1)
}

function run({ mutate, tests, database }: Target, files: readonly string[] | undefined): MutationReport {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-mutants-'))
  const json = join(folder, 'report.json')
  const named = files?.map((file) => `${mutate[0]!.slice(0, mutate[0]!.lastIndexOf('/'))}/${file}.ts`)
  const all = named ?? mutate
  try {
    const settings = {
      testRunner: 'vitest',
      plugins: [join(tools, 'node_modules/@stryker-mutator/vitest-runner/dist/src/index.js')],
      mutate:
        values.sample === undefined
          ? [...all, '!**/*.test.ts']
          : sampled(root, filesOf(all), Number(values.sample) / 100, Number(values.seed ?? 1)),
      ignorePatterns: ['build', '.data', 'docs'],
      coverageAnalysis: 'perTest',
      // Long enough for a busy machine.
      dryRunTimeoutMinutes: 20,
      concurrency: 1,
      reporters: ['progress-append-only', 'json'],
      jsonReporter: { fileName: json },
      tempDirName: join(folder, 'sandbox'),
      // Stryker would read it with an API that TypeScript 7 doesn't have. We don't need it, since nothing is compiled.
      tsconfigFile: 'none',
      vitest: { configFile: 'lab/mutants/vitest.config.ts', related: false },
    }
    const file = join(folder, 'stryker.json')
    writeFileSync(file, JSON.stringify(settings))
    const { status } = spawnSync(process.execPath, [stryker, 'run', file], {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        NODE_ENV: 'test',
        MUTANT_TESTS: tests.join(' '),
        MUTANT_DATABASE: database ? 'on' : 'off',
        // Run few cases of each property: a surviving mutant runs all of them.
        PROPERTY_RUNS: '0.02',
      },
    })
    if (status !== 0) process.exit(status ?? 1)
    return JSON.parse(readFileSync(json, 'utf8')) as MutationReport
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns the files that match these patterns, without those that later patterns exclude. */
function filesOf(patterns: readonly string[]): string[] {
  const excluded = new Set(patterns.filter((one) => one.startsWith('!')).map((one) => one.slice(1)))
  const files = patterns.filter((one) => !one.startsWith('!')).flatMap((one) => globSync(one, { cwd: root }))
  return files.filter((file) => !file.endsWith('.test.ts') && !excluded.has(file))
}
