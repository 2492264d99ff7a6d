import { readdirSync, readFileSync } from 'node:fs'

/** The kernel counts processor time in hundredths of a second. */
const TICK_MS = 10

/** Returns this process and all its descendants. Linux only. */
export function treeOf(root: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), Number(stat(Number(name))?.[1])]),
  )
  return [...parents.keys()].filter((pid) => {
    for (let at = pid; at > 1; at = parents.get(at) ?? 0) if (at === root) return true
    return false
  })
}

/** Processor time of these processes and of their children that have ended, in milliseconds. */
export function cpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const fields = stat(pid)
    return fields ? sum + [11, 12, 13, 14].reduce((ticks, n) => ticks + Number(fields[n]), 0) * TICK_MS : sum
  }, 0)
}

/** Returns the memory of these processes in bytes, with shared pages counted proportionally (PSS). */
export const memoryBytes = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
    return sum + Number(pss) * 1024
  }, 0)

/** Returns the fields of a process's `stat` after its name, or undefined once it has ended. */
function stat(pid: number): string[] | undefined {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return line.slice(line.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}
