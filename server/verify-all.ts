import { setTimeout as sleep } from 'node:timers/promises'
import { MINUTE_MS, type Ms, startOf } from '#kernel/time.ts'
import { headMissing, type RecordedHead } from './desk/index.ts'
import { crossRoomChecks, lateTrades } from './invariants/index.ts'
import { type Check, ledgerChecks } from './ledger/index.ts'
import { type Db, inSnapshot, sql } from './platform/db.ts'
import { readTicks, TicksDropped, verifyTape } from './prices/index.ts'
import { replayOutcomes, type Tick } from './trading/index.ts'

/** The result of checking one invariant. */
export interface Finding {
  /** The invariant's name: L1 … L9, T1 … T8, W1 … W3, H1, H2; `tape` for the tape. */
  name: string
  says: string
  /** The first row that breaks it, as text or JSON; undefined if it holds. */
  broken: string | undefined
}

export interface VerifyOptions {
  /** Called with each finding as soon as it is available. */
  found?(finding: Finding): void
  /** Called from time to time with what is being checked. */
  progress?(what: string): void
  /** How long an overdue pending trade gets to settle before it counts as broken. */
  patienceMs?: number
  /** A head of the audit log that was recorded elsewhere and must still be in it. */
  auditHead?: RecordedHead | undefined
}

/**
 * Recomputes every invariant from the raw rows and returns all findings. Read-only; the server may be running. `db`
 * must see everything (the superuser or the owner). The SQL checks share one snapshot; so do the parts of the tape.
 */
export async function verifyAll(db: Db, options: VerifyOptions = {}): Promise<Finding[]> {
  const { found = () => undefined, progress = () => undefined, patienceMs = 5_000, auditHead } = options
  const findings: Finding[] = []
  const tell = (finding: Finding) => {
    findings.push(finding)
    found(finding)
  }
  for (const finding of await checkRows(db, [...ledgerChecks, ...crossRoomChecks], progress)) tell(finding)
  if (auditHead) {
    tell({
      name: 'H3',
      says: `the audit log still contains the recorded row ${auditHead.n}`,
      broken: await headMissing(db, auditHead),
    })
  }

  progress('the tape')
  const tape = await verifyTape(db)
  const gone =
    tape.droppedMinutes > 0 ? `, ${tape.droppedMinutes} minutes beyond the retention checked by their hashes` : ''
  tell({
    name: 'tape',
    says: `${tape.frames} frames with ${tape.ticks} ticks follow each other${gone}`,
    broken: tape.broken,
  })

  const { checked, dropped, divergence } = await replayOutcomes(db, tickReader(db), (looked) =>
    progress(`outcomes, ${looked} so far`),
  )
  const beyond = dropped > 0 ? `, ${dropped} are older than the retained tape` : ''
  tell({
    name: 'T3',
    says: `${checked} outcomes match the tape${beyond}`,
    broken: divergence && `trade ${divergence.tradeId} ${divergence.says}`,
  })
  tell(await latePending(db, patienceMs))
  return findings
}

/** All checks in one snapshot, so that a movement and its account are seen together however busy the server is. */
async function checkRows(db: Db, checks: readonly Check[], progress: (what: string) => void): Promise<Finding[]> {
  return inSnapshot(db, async (snapshot) => {
    await sql`set local statement_timeout = 0`.execute(snapshot)
    const findings: Finding[] = []
    for (const { name, says, sql: text } of checks) {
      progress(name)
      const { rows } = await sql.raw<object>(`select * from (${text}) broken limit 1`).execute(snapshot)
      findings.push({ name, says, broken: rows[0] && asText(rows[0]) })
    }
    return findings
  })
}

/**
 * No trade stays pending once the tape is 5 s past its end and the end is proven (T2). After a start, trades that ended
 * during downtime are still being settled: a trade is broken only if it is pending twice while the tape advances.
 */
async function latePending(db: Db, patienceMs: number): Promise<Finding> {
  const says = 'no trade is pending 5 s after the tape has proven its end'
  const before = await lateTrades(db)
  if (before.length === 0) return { name: 'T2', says, broken: undefined }
  await sleep(patienceMs)
  const suspects = new Set(before.map((row) => row.id))
  const still = (await lateTrades(db)).find((row) => suspects.has(row.id))
  const stands = still !== undefined && still.head - before[0]!.head < BigInt(Math.floor(patienceMs / 2))
  if (still === undefined) return { name: 'T2', says, broken: undefined }
  if (stands) return { name: 'T2', says: `${says} (${before.length} wait for the server to run)`, broken: undefined }
  return { name: 'T2', says, broken: asText(still) }
}

const MINUTES_KEPT = 2_000

/** Reads ticks one minute of a symbol at a time and caches the newest reads: neighbouring trades request the same. */
function tickReader(db: Db): (symbolId: number, from: Ms, to: Ms) => Promise<Tick[]> {
  const minutes = new Map<string, Promise<Tick[]>>()

  async function read(symbolId: number, from: Ms, to: Ms): Promise<Tick[]> {
    const stored = await readTicks(db, symbolId, from, to)
    return stored.map(({ seq, sourceMs, price, kind }) => ({ seq: BigInt(seq), sourceMs, price, kind }))
  }

  function minuteOf(symbolId: number, minute: Ms): Promise<Tick[]> {
    const name = `${symbolId}:${minute}`
    const known = minutes.get(name)
    if (known !== undefined) return known
    const reading = read(symbolId, minute, minute + MINUTE_MS - 1)
    reading.catch(() => undefined)
    minutes.set(name, reading)
    if (minutes.size > MINUTES_KEPT) minutes.delete(minutes.keys().next().value!)
    return reading
  }

  return async (symbolId, from, to) => {
    try {
      const found: Tick[] = []
      for (let minute = startOf(from, MINUTE_MS); minute <= to; minute += MINUTE_MS) {
        for (const tick of await minuteOf(symbolId, minute))
          if (tick.sourceMs >= from && tick.sourceMs <= to) found.push(tick)
      }
      return found
    } catch (error) {
      // In a minute that is partly gone, the requested ticks may still exist.
      if (error instanceof TicksDropped) return read(symbolId, from, to)
      throw error
    }
  }
}

const asText = (row: object) =>
  JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
