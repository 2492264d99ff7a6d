import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** The uid that PostgreSQL runs under. Undefined: our own. */
export interface RunAs {
  uid: number
  gid: number
  name: string
}

const NAME = 'cleartick'

/** PostgreSQL refuses to run as root: as root it gets a separate user, created once. */
export function postgresUser(): RunAs | undefined {
  if (process.getuid?.() !== 0) return undefined
  const existing = lookUp(NAME)
  if (existing) return existing
  spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME], { stdio: 'ignore' })
  const made = lookUp(NAME) ?? lookUp('nobody')
  if (!made) throw new Error("PostgreSQL can't run as root, and no other user could be found or created")
  return made
}

function lookUp(name: string): RunAs | undefined {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return uid && gid ? { uid: Number(uid), gid: Number(gid), name } : undefined
}
