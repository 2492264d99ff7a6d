import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * The newest timeline that was seen of each installation of PostgreSQL, by its system identifier. Each failover begins
 * one, so a primary on an older timeline was left behind: what is written there is lost. The file is for restarts.
 */
const newest = new Map<string, number>()
let file: string | undefined

export const newestTimeline = (system: string): number => newest.get(system) ?? 0

export function rememberTimeline(system: string, timeline: number): void {
  if (timeline <= newestTimeline(system)) return
  newest.set(system, timeline)
  if (file !== undefined) save(file)
}

/** Reads what earlier processes have seen from the data folder, and saves there what this one sees. */
export function keepTimelines(dataDir: string): void {
  file = join(dataDir, 'database-timelines.json')
  merge(file)
}

function merge(path: string): void {
  let saved: Record<string, unknown>
  try {
    saved = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  } catch {
    // There is none yet.
    return
  }
  for (const [system, timeline] of Object.entries(saved))
    if (typeof timeline === 'number' && timeline > newestTimeline(system)) newest.set(system, timeline)
}

function save(path: string): void {
  // Another process of this machine may have seen more.
  merge(path)
  // A command without a data folder has nothing to remember for.
  if (!existsSync(dirname(path))) return
  const fresh = `${path}.${process.pid}`
  writeFileSync(fresh, JSON.stringify(Object.fromEntries(newest)), { mode: 0o600 })
  renameSync(fresh, path)
}
