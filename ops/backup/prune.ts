import { backupTime, listBackups, placeOf, readManifest, removeBackup } from './manifest.ts'
import type { Target } from './target.ts'

const DAY_MS = 86_400_000

/**
 * Removes the backups that no restore to a moment of the last `days` needs: what the first backup in that time
 * continues is kept, and so is the newest backup. Incomplete ones are removed after a day. Returns what was removed.
 */
export async function pruneBackups(target: Target, key: Buffer, days: number, now = Date.now()): Promise<string[]> {
  const { complete, incomplete } = await listBackups(target)
  const parents = new Map<string, string | null>()
  for (const id of complete) parents.set(id, (await readManifest(placeOf(target, key, id))).parent)
  // The newest one from before that time is where a restore to its first moment begins.
  const lastOlder = complete.findLastIndex((id) => backupTime(id) < now - days * DAY_MS)
  const kept = new Set<string>()
  for (const id of complete.slice(Math.max(0, lastOlder))) {
    for (let next: string | null | undefined = id; next; next = parents.get(next)) kept.add(next)
  }
  const old = incomplete.filter((id) => backupTime(id) < now - DAY_MS)
  const removed = [...old, ...complete.filter((id) => !kept.has(id)).reverse()]
  for (const id of removed) await removeBackup(target, id)
  return removed
}
