import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { postgresUser } from './user.ts'

const quoted = (path: string) => `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`

/**
 * Returns the settings with which the built-in PostgreSQL copies its write-ahead log to a folder, for restores to a
 * point in time. A file is durable before it gets its name; PostgreSQL keeps its own copy and repeats until then.
 */
export function archiveSettings(folder: string | undefined): Record<string, string> {
  if (folder === undefined) return {}
  const path = resolve(folder)
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
  const runAs = postgresUser()
  if (runAs) chownSync(path, runAs.uid, runAs.gid)
  const to = quoted(path)
  return {
    archive_mode: 'on',
    archive_command: `test -f ${to}/%f.gz || { gzip -1 < "%p" > ${to}/%f.new && sync ${to}/%f.new && mv ${to}/%f.new ${to}/%f.gz && sync ${to}; }`,
    archive_timeout: '60s',
  }
}

/** Returns the command by which PostgreSQL gets such a file back; also for files that another tool copied plainly. */
export function restoreCommand(folder: string | undefined): string {
  if (folder === undefined) return 'false'
  const from = quoted(resolve(folder))
  return `if [ -f ${from}/%f.gz ]; then gzip -dc ${from}/%f.gz > "%p"; else cp ${from}/%f "%p"; fi`
}
