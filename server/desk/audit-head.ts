import { MINUTE_MS } from '#kernel/time.ts'
import { type Db, sql } from '../platform/db.ts'
import type { Log } from '../platform/log.ts'
import { type Loop, startLoop } from '../platform/loop.ts'

const EVERY_MS = 60 * MINUTE_MS

/** Where the audit log ends: the number of its last row and that row's hash, as `12:9f86…`. */
export async function auditHead(db: Db): Promise<string> {
  const { n, hash } = await db.selectFrom('audit_head').select(['n', 'hash']).executeTakeFirstOrThrow()
  return `${n}:${hash.toString('hex')}`
}

export interface NotedHead {
  n: bigint
  hash: Buffer
}

/** A head as `auditHead` says it; undefined where it is none. */
export function parseAuditHead(unchecked: string): NotedHead | undefined {
  const [, n, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(unchecked.trim()) ?? []
  return n === undefined || hash === undefined ? undefined : { n: BigInt(n), hash: Buffer.from(hash, 'hex') }
}

/**
 * Why the chain does not contain a head that was noted elsewhere; undefined where it does. Whoever may write everything
 * can write the whole chain anew, so that it verifies in itself: only what was noted outside shows it.
 */
export async function headMissing(db: Db, { n, hash }: NotedHead): Promise<string | undefined> {
  // Before the first row there is nothing that could have been rewritten.
  if (n === 0n) return hash.equals(Buffer.alloc(32)) ? undefined : 'the noted head of an empty log is another one'
  const { rows } = await sql<{ last: bigint; hash: Buffer | null }>`
    select coalesce(max(n), 0) as last, (select hash from audit where n = ${n}) as hash from audit`.execute(db)
  const { last, hash: found } = rows[0]!
  if (last < n) return `the log ends at row ${last}: row ${n}, which was noted, is gone`
  if (!found) return `row ${n}, which was noted, is gone`
  return found.equals(hash) ? undefined : `row ${n} is another one than was noted: the log was written anew`
}

/** Writes the head into the process's log, where the database's owner cannot reach it: at the start, then hourly where it has changed. */
export function logAuditHead({ db, log }: { db: Db; log: Log }, everyMs = EVERY_MS): Loop {
  let logged = ''
  return startLoop('audit head', everyMs, log, async () => {
    const head = await auditHead(db)
    if (head === logged || head.startsWith('0:')) return
    logged = head
    // A warning, so that it is written at every level that a server runs with.
    log.warn({ head }, 'the audit log ends here: keep this line')
  })
}
