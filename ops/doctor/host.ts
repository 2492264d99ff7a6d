import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, SECRETS, SETTINGS } from '#server/config/config.ts'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** The pages of the built web app that nothing works without, with where their files are. */
const PAGES = [
  { page: 'client/__spa-fallback.html', files: 'client', prefix: '/' },
  { page: 'client/index.html', files: 'client', prefix: '/' },
  { page: 'desk/index.html', files: 'desk', prefix: '/desk/' },
]

/** Checks that the web app was built, and that the files that its pages name are there. */
export function checkBuild(build: string): Finding {
  const fix = 'Run node scripts/ready.mjs build in the folder of the project.'
  for (const { page, files, prefix } of PAGES) {
    const path = join(build, page)
    if (!existsSync(path)) return problem('build', `The web app is not built: ${path} is missing.`, fix)
    const named = readFileSync(path, 'utf8').matchAll(/(?:src|href)="(\/[^"]*assets\/[^"#?]+)/g)
    for (const [, address = ''] of named) {
      const file = join(build, files, address.slice(prefix.length))
      if (!existsSync(file)) return problem('build', `The web app is damaged: ${file} is missing.`, fix)
    }
  }
  return ok('build', 'The web app is built.')
}

/** Checks that the port is free, unless the server has it. */
export async function checkPort({ PORT, HOST }: Pick<Config, 'PORT' | 'HOST'>, isRunning: boolean): Promise<Finding> {
  if (isRunning || PORT === 0 || (await freePort(PORT, HOST)) !== undefined)
    return ok('port', isRunning ? `The server is running; PORT is ${PORT}.` : `Port ${PORT} is free.`)
  return problem(
    'port',
    `Port ${PORT} is taken, though no node writes the tape.`,
    `See who has it (ss -ltnp 'sport = :${PORT}'), end that program, or set another PORT.`,
  )
}

/** Names variables that are nearly a setting or begin as the product is called: they have no effect. */
export function judgeSpelling(env: Readonly<Record<string, string | undefined>>): Finding[] {
  const known = new Set([...SETTINGS, ...SECRETS.map((name) => `${name}_FILE`)])
  return Object.keys(env)
    .filter((name) => !known.has(name))
    .flatMap((name) => {
      const meant = [...known].find((setting) => isNearly(name, setting))
      if (meant === undefined && !/^cleartick/i.test(name)) return []
      const fix = meant ? `If you mean ${meant}, call it that.` : 'docs/operations/settings.md lists all settings.'
      return [warning('settings', `There is no setting ${name}: it has no effect.`, fix)]
    })
}

function isNearly(name: string, setting: string): boolean {
  const plain = (text: string) => text.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const bare = plain(name).replace(/^CLEARTICK/, '')
  if (bare === plain(setting)) return true
  // Short names are near to many that mean something else, such as HOME and HOST.
  return setting.length >= 8 && distance(bare, plain(setting), 2) <= 2
}

/** Characters to change, add or leave out, until one word is the other; more than `most` counts as one more. */
function distance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, other] of [...b].entries()) {
      const [left = 0, above = 0, corner = 0] = [next[j], row[j + 1], row[j]]
      next.push(Math.min(left + 1, above + 1, corner + (letter === other ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** A web of several needs the bucket that all of them share. */
export function judgeFiles({ ROLES, FILES_URL }: Pick<Config, 'ROLES' | 'FILES_URL'>): Finding[] {
  if (FILES_URL !== undefined || !ROLES.includes('web') || ROLES.includes('engine')) return []
  return [
    warning(
      'storage',
      'FILES_URL is not set, and this machine has the role web only: another web would not find the files of this one.',
      'With several webs, set the same FILES_URL on all: a bucket as s3+https://KEY:SECRET@host/bucket.',
    ),
  ]
}

/** Without its key, the engine makes a new one at its start, which signs nothing until two admins begin it. */
export function judgeProofFile({
  ROLES,
  PROOF_KEY,
  dataDir,
}: Pick<Config, 'ROLES' | 'PROOF_KEY' | 'dataDir'>): Finding[] {
  if (!ROLES.includes('engine') || PROOF_KEY !== undefined || existsSync(join(dataDir, 'proof.key'))) return []
  return [
    problem(
      'receipts',
      'DATA_DIR/proof.key is missing: the engine would begin with a key that signs nothing.',
      'Restore it from your copy before you start the engine. If it is lost, two admins begin a new one at the desk. A new installation makes one.',
    ),
  ]
}
