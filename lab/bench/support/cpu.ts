import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchPostgres } from './postgres.ts'

/** Returns the CPU used by PostgreSQL and all its processes, including exited ones, microseconds. Linux only. */
export function databaseCpu(postgres: BenchPostgres): number {
  const postmaster = Number(readFileSync(join(postgres.dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0])
  let ticks = 0
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (Number(pid) === postmaster)
        ticks += Number(fields[11]) + Number(fields[12]) + Number(fields[13]) + Number(fields[14])
      else if (Number(fields[1]) === postmaster) ticks += Number(fields[11]) + Number(fields[12])
    } catch {
      // The process has exited in the meantime.
    }
  }
  return ticks * 10_000
}
