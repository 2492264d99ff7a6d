import { createHash } from 'node:crypto'
import { type Db, inTransaction, sql, type Tx } from '#server/platform/database/db.ts'
import { StartProblem } from '#server/platform/process/start-problem.ts'
import { placeOf, readParts } from '../backup/index.ts'
import { type ArchiveDeps, STREAM } from './archive-day.ts'

interface DayRow {
  object: string
  parts: number
  sha256: Buffer
}

/** Returns the records of the days whose trades were removed, oldest first: `object` is null where they expired in demo. */
export async function listDays(db: Db) {
  const { rows } = await sql<{ day: string; trades: bigint; transfers: bigint; object: string | null }>`
    select day::text as day, trades, transfers, object from archived_days
    union all select day::text, trades, transfers, null from expired_days order by day, object nulls first`.execute(db)
  return rows
}

/** Returns the records of the runs that removed grants of demo balance, oldest first. */
export async function listGrants(db: Db) {
  const { rows } = await sql<{ until: string; grants: bigint; keys: bigint }>`
    select until::text as until, grants, keys from expired_grants order by expired_grants.until`.execute(db)
  return rows
}

/** Yields the lines of an archived day. Throws `StartProblem` if the day isn't archived or a byte of it was changed. */
export async function* dayLines(deps: Pick<ArchiveDeps, 'db' | 'target' | 'key'>, day: string): AsyncGenerator<string> {
  const { rows } = await sql<DayRow>`
    select object, parts, sha256 from archived_days where day = ${day}::date`.execute(deps.db)
  const row = rows[0]
  if (!row) throw new StartProblem(`${day} is not archived. See npm run archive -- list`)
  const hash = createHash('sha256')
  let rest: Buffer = Buffer.alloc(0)
  try {
    for await (const part of readParts(placeOf(deps.target, deps.key, row.object), STREAM, row.parts)) {
      hash.update(part)
      const bytes = Buffer.concat([rest, part])
      const end = bytes.lastIndexOf(10)
      rest = bytes.subarray(end + 1)
      yield* bytes.subarray(0, Math.max(0, end)).toString('utf8').split('\n')
    }
  } catch (error) {
    if (!(error instanceof StartProblem)) throw error
    throw new StartProblem(error.message.replace(/^Backup/, 'Archive'))
  }
  if (rest.length > 0 || !hash.digest().equals(row.sha256))
    throw new StartProblem(`The archive of ${day} isn't what was written: its hash differs.`)
}

const LINES_AT_ONCE = 5_000

/** Reads a whole day back and compares its counts with the record. Its movements are added to `sums`, if given. */
export async function checkDay(
  deps: Pick<ArchiveDeps, 'db' | 'target' | 'key'>,
  day: string,
  sums?: (movements: readonly string[]) => Promise<void>,
): Promise<{ trades: number; transfers: number }> {
  const counted = { trades: 0, transfers: 0 }
  let movements: string[] = []
  for await (const line of dayLines(deps, day)) {
    if (line.startsWith('trade ')) counted.trades++
    if (!line.startsWith('transfer ')) continue
    counted.transfers++
    if (sums) movements.push(line.slice('transfer '.length))
    if (movements.length < LINES_AT_ONCE) continue
    await sums?.(movements)
    movements = []
  }
  if (movements.length > 0) await sums?.(movements)
  const { rows } = await sql`
    select from archived_days where day = ${day}::date and trades = ${counted.trades} and transfers = ${counted.transfers}`.execute(
    deps.db,
  )
  if (rows.length === 0) throw new StartProblem(`The archive of ${day} doesn't hold as many rows as its record says.`)
  return counted
}

/**
 * Reads all archived days back and compares the sums of their movements with those that the ledger has for each
 * account: those in demo only if none of their trades expired. Returns the first account that differs.
 */
export async function checkAccounts(
  deps: Pick<ArchiveDeps, 'db' | 'target' | 'key'>,
  progress: (day: string, counted: { trades: number; transfers: number }) => void,
): Promise<bigint | undefined> {
  const days = (await listDays(deps.db)).filter(({ object }) => object !== null)
  return inTransaction(deps.db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx)
    await sql`create temporary table found (account_id bigint, transfers bigint, result bigint, last_seq bigint) on commit drop`.execute(
      tx,
    )
    for (const { day } of days) progress(day, await checkDay(deps, day, (movements) => addUp(tx, movements)))
    const { rows } = await sql<{ account_id: bigint }>`
      select coalesce(s.account_id, f.account_id) as account_id from archived_sums s
      full join (
        select account_id, sum(transfers) as transfers, sum(result) as result, max(last_seq) as last_seq from found group by account_id
      ) f on f.account_id = s.account_id
      join accounts a on a.id = coalesce(s.account_id, f.account_id)
      where (a.mode = 'real' or not exists (select from expired_days)) and (s.transfers, s.result, s.last_seq) is distinct from (f.transfers::bigint, f.result::bigint, f.last_seq) limit 1`.execute(
      tx,
    )
    return rows[0]?.account_id
  })
}

async function addUp(tx: Tx, movements: readonly string[]): Promise<void> {
  await sql`
    insert into found
    select m.account_id, count(*), sum(case when m.credit = 'balance' then m.amount when m.debit = 'balance' then -m.amount else 0 end),
      max(m.account_seq)
    from unnest(${movements}::text[]) as line, lateral jsonb_populate_record(null::transfers, line::jsonb) m
    group by m.account_id`.execute(tx)
}
