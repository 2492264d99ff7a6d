import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Planted } from './report.ts'
import type { Finding } from './verifier/finding.ts'

const ROOT = join(import.meta.dirname, '../../..')
const PLANTED = join(import.meta.dirname, 'planted')
/** Files and folders that the product and the harness need to run. */
const COPIED = [
  ...['kernel', 'contract', 'server', 'ops', 'lab', 'db', 'packages', 'tests', 'scripts'],
  ...['package.json', 'tsconfig.json'],
]
const LINKED = ['node_modules', 'build', 'public', 'web']
const LONGEST_MS = 240_000

/**
 * Run directly, this file checks that every planted bug still applies (part of `npm run check`). To update one, make
 * its change by hand and replace everything from its third line on with the output of `git diff`.
 */

/** A bug as a patch: a line that describes it, a line with the faults that reveal it, and the changes. */
interface Patch {
  name: string
  file: string
  says: string
  faults: string[]
}

/** Returns the planted bugs whose names contain one of these texts, or all of them if none is given. */
export function readPatches(wanted: readonly string[] = []): Patch[] {
  return readdirSync(PLANTED)
    .filter((name) => name.endsWith('.patch') && (wanted.length === 0 || wanted.some((text) => name.includes(text))))
    .sort()
    .map((name) => {
      const file = join(PLANTED, name)
      const [says = '', faults = ''] = readFileSync(file, 'utf8').split('\n')
      if (!faults.startsWith('Faults: ')) throw new Error(`${name}: the second line must be Faults: NAME,…`)
      return { name: name.replace('.patch', ''), file, says, faults: faults.slice('Faults: '.length).split(',') }
    })
}

/** Returns why a patch doesn't apply to this tree; undefined if it does. */
export function applyFailure({ file }: Patch, folder = ROOT, mode: '--check' | '--apply' = '--check') {
  const args = ['apply', '--whitespace=nowarn', ...(mode === '--check' ? ['--check'] : []), file]
  const { status, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  return status === 0 ? undefined : stderr.trim()
}

/** Plants one bug in a copy of the tree, runs the faults there, and returns the findings. */
export async function plant(patch: Patch, prepared: string, progress: (text: string) => void): Promise<Planted> {
  const { name, says, faults } = patch
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-planted-'))
  const said: Planted & { caughtBy: Map<string, string> } = { name, says, faults, caughtBy: new Map() }
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true })
    for (const path of LINKED) if (existsSync(join(ROOT, path))) symlinkSync(join(ROOT, path), join(folder, path))
    const failure = applyFailure(patch, folder, '--apply')
    if (failure !== undefined) return { ...said, problem: `the patch doesn't apply: ${failure}` }
    const json = join(folder, 'findings.json')
    const args = ['--rounds-of', faults.join(','), '--data', prepared, '--json', json, '--brief', '--calm', '1500']
    const { output, timedOut } = await runCommand(folder, args)
    if (timedOut) said.caughtBy.set('recovers', `the run didn't end within ${LONGEST_MS} ms`)
    else if (!existsSync(json)) said.problem = `the run failed: ${output.slice(-500)}`
    else
      for (const { check, says: found } of JSON.parse(readFileSync(json, 'utf8')) as Finding[])
        if (!said.caughtBy.has(check)) said.caughtBy.set(check, found)
    const found = [...said.caughtBy].map(([check, first]) => `${check} (${first.slice(0, 160)})`).join('; ')
    progress(`${name}: ${said.problem ?? (found || 'NOT CAUGHT')}`)
    return said
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function runCommand(folder: string, args: string[]): Promise<{ output: string; timedOut: boolean }> {
  const child = spawn(process.execPath, [join(folder, 'lab/faults/harness/command.ts'), ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let timedOut = false
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output += bytes
    })
  // Use SIGTERM, so that the command stops the processes it has started.
  const patience = setTimeout(() => {
    timedOut = true
    child.kill('SIGTERM')
  }, LONGEST_MS)
  await new Promise((resolve) => child.once('close', resolve))
  clearTimeout(patience)
  return { output, timedOut }
}

if (import.meta.main) {
  const broken = readPatches().flatMap((patch) => applyFailure(patch) ?? [])
  for (const line of broken) console.error(line)
  process.exit(broken.length === 0 ? 0 : 1)
}
