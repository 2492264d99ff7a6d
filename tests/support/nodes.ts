import { readdirSync, readFileSync } from 'node:fs'

/** Returns the process of a role that the supervisor with this process id has started; undefined while there is none. */
export function processOf(supervisor: number, role: 'engine' | 'web'): number | undefined {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .find((pid) => parentOf(pid) === supervisor && rolesOf(pid) === role)
}

/** Returns the processes that this one has started and that still run. */
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
    // It has ended meanwhile.
    return ''
  }
}
