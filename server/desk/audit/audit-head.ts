import { first } from '#kernel/must.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { Log } from '../../platform/process/log.ts'
import { type Loop, startLoop } from '../../platform/process/loop.ts'

const EVERY_MS = 60 * MINUTE_MS

/** Returns the head of the audit log: the number of its last row and that row's hash, as `12:9f86…`. */
export async function auditHead(db: Db): Promise<string> {
  const { n, hash } = await db.selectFrom('audit_head').select(['n', 'hash']).executeTakeFirstOrThrow()
  return `${n}:${hash.toString('hex')}`
}

export interface RecordedHead {
  n: bigint
  hash: Buffer
}

/** Parses a head in the format of `auditHead`. Returns undefined when it is malformed. */
export function parseAuditHead(unchecked: string): RecordedHead | undefined {
  const [, n, hash] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(unchecked.trim()) ?? []
  return n === undefined || hash === undefined ? undefined : { n: BigInt(n), hash: Buffer.from(hash, 'hex') }
}

/**
 * Returns why the chain doesn't contain a head that was recorded elsewhere, or undefined when it does. A superuser can
 * rewrite the whole chain so that it still verifies; only a head recorded outside the database reveals that.
 */
export async function headMissing(db: Db, { n, hash }: RecordedHead): Promise<string | undefined> {
  // An empty log has nothing to rewrite.
  if (n === 0n)
    return hash.equals(Buffer.alloc(32)) ? undefined : 'the recorded head of an empty log is a different one'
  const { rows } = await sql<{ last: bigint; hash: Buffer | null }>`
    select coalesce(max(n), 0) as last, (select hash from audit where n = ${n}) as hash from audit`.execute(db)
  const { last, hash: found } = first(rows)
  if (last < n) return `the log ends at row ${last}, but row ${n} was recorded`
  if (!found) return `row ${n} was recorded but is missing`
  return found.equals(hash) ? undefined : `row ${n} differs from the recorded one: the log was rewritten`
}

/**
 * Logs the head to the process log, which the database's owner can't reach: at startup, then hourly when it has
 * changed.
 */
export function logAuditHead({ db, log }: { db: Db; log: Log }, everyMs = EVERY_MS): Loop {
  let logged = ''
  return startLoop('audit head', everyMs, log, async () => {
    const head = await auditHead(db)
    if (head === logged || head.startsWith('0:')) return
    logged = head
    // A warning, so that every log level used in production includes it.
    log.warn({ head }, 'the audit log ends here: keep this line')
  })
}
