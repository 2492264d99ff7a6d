import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Finding, ok, problem, warning } from './finding.ts'

const GIBIBYTE = 2 ** 30

interface Space {
  free: number
  total: number
}

/** Returns the space on the disk of a path, or of the nearest folder above it that exists. */
export function spaceOf(path: string): Space {
  const { bavail, blocks, bsize } = statfsSync(existing(path))
  return { free: bavail * bsize, total: blocks * bsize }
}

const existing = (path: string): string => (existsSync(path) ? path : existing(dirname(path)))

export function judgeSpace(what: string, path: string, { free, total }: Space): Finding {
  const says = `${what} has ${(free / GIBIBYTE).toFixed(1)} GiB free (${path}).`
  if (free < GIBIBYTE) return problem('disk', says, 'Free some space now: PostgreSQL stops when the disk is full.')
  if (free < 0.1 * total && free < 20 * GIBIBYTE) return warning('disk', says, 'Free some space, or enlarge the disk.')
  return ok('disk', says)
}

/** Files of `DATA_DIR` that hold passwords and keys. */
const SECRETS = ['files.key', 'postgres.password', 'database-roles.json', 'database-url']

/** Checks that nobody else can read the installation's secrets. */
export function checkSecrets(dataDir: string): Finding {
  const open = SECRETS.map((name) => join(dataDir, name)).filter(
    (path) => existsSync(path) && (statSync(path).mode & 0o077) !== 0,
  )
  if (open.length === 0) return ok('secrets', `Only this user can read the secrets in ${dataDir}.`)
  return problem('secrets', `Other users can read ${open.join(', ')}.`, `Run chmod 600 ${open.join(' ')}`)
}
