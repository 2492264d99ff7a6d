import { must } from '#kernel/must.ts'
import { sealedColumns } from '#server/app/start-key.ts'
import type { Config } from '#server/config/config.ts'
import type { Db } from '#server/platform/database/db.ts'
import { diskStorage, existingFilesKey, openFiles, s3Storage } from '#server/platform/files/index.ts'
import { type Rekeyed, rekeyColumn } from '#server/platform/secrets/reseal.ts'
import { openSeal, Undecipherable } from '#server/platform/secrets/seal.ts'

interface RekeyOptions {
  /** Whether to encrypt again what only another key opens; otherwise it is only counted. */
  rewrite: boolean
  say?(line: string): void
}

/** How many files are read, decrypted and written at the same time: each has a few megabytes at most. */
const AT_ONCE = 4
const SAY_EVERY_MS = 5_000

/**
 * Checks everything that is encrypted with the installation's key. It keeps no state: whatever is already under the
 * current key is done, so it can be interrupted and started again.
 */
export async function rekey(
  config: Pick<Config, 'dataDir' | 'FILES_KEY' | 'FILES_KEY_OTHERS' | 'FILES_URL'>,
  db: Db,
  { rewrite, say = () => undefined }: RekeyOptions,
): Promise<Rekeyed> {
  const key = existingFilesKey(config.dataDir, config.FILES_KEY)
  const total: Rekeyed = { current: 0, other: 0, unreadable: [] }
  const add = (what: string, found: Rekeyed) => {
    total.current += found.current
    total.other += found.other
    total.unreadable.push(...found.unreadable)
    const done = rewrite ? 'encrypted again' : 'under another key'
    say(`${what}: ${found.other} ${done}, ${found.current} under the current key.`)
  }
  const progressOf = (what: string) => {
    let said = performance.now()
    return (done: number, of?: number) => {
      if (performance.now() - said < SAY_EVERY_MS) return
      said = performance.now()
      say(`${what}: ${done}${of === undefined ? '' : ` of ${of}`} looked at…`)
    }
  }

  for (const column of sealedColumns(db)) {
    const seal = openSeal(key, column.purpose, config.FILES_KEY_OTHERS)
    add(column.what, await rekeyColumn(column, seal, { rewrite, progress: progressOf(column.what) }))
  }

  const storage = config.FILES_URL ? await s3Storage(config.FILES_URL) : diskStorage(`${config.dataDir}/files`)
  const files = openFiles({ storage, key, others: config.FILES_KEY_OTHERS })
  const found: Rekeyed = { current: 0, other: 0, unreadable: [] }
  const names = await storage.list()
  const progress = progressOf('private files')
  let next = 0
  const work = async () => {
    while (next < names.length) {
      const name = must(names[next++])
      // An unreachable storage ends the command; bytes that no key opens are reported with the rest.
      const state = await files.rekey(name, { rewrite }).catch((error: unknown) => {
        if (!(error instanceof Undecipherable)) throw error
        found.unreadable.push(`private files: ${name}`)
      })
      if (state !== undefined) found[state] += 1
      progress(next, names.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  add('private files', found)
  return total
}
