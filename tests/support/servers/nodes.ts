import { readdirSync, readFileSync } from 'node:fs'

/** Returns the process that this supervisor has started for a role; undefined while there is none. */
export function processOf(supervisor: number, role: 'engine' | 'web'): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => parentOf(pid) === supervisor && rolesOf(pid) === role)
}

/** Returns the running child processes of a process. */
export const childrenOf = (parent: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)

function parentOf(pid: number): number | undefined {
  const found = /^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))
  return found ? Number(found[1]) : undefined
}

function rolesOf(pid: number): string | undefined {
  return read(`/proc/${pid}/environ`)
    .split('\0')
    .find((line) => line.startsWith('ROLES='))
    ?.slice('ROLES='.length)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // It has exited in the meantime.
    return ''
  }
}
