import { setTimeout as sleep } from 'node:timers/promises'
import { first } from '#kernel/must.ts'
import { verifyAlerts } from '#server/alerts/index.ts'
import { headMissing, type RecordedHead } from '#server/desk/index.ts'
import { brokenRows, crossRoomChecks, lateTrades, rowText } from '#server/invariants/index.ts'
import { type Check, ledgerChecks } from '#server/ledger/index.ts'
import { type Db, inSnapshot, sql } from '#server/platform/database/db.ts'
import { loadInstruments, verifyTape } from '#server/prices/index.ts'
import { verifyOrders, verifyProof, verifySolvencyStatements } from '#server/proof/index.ts'
import { replaySignals } from '#server/signals/index.ts'
import { lateSaleOrders, replayOutcomes, replayUnsold, tickReader } from '#server/trading/index.ts'
import { verifyTriggers } from '#server/waiting/index.ts'

/** The result of checking one invariant. */
interface Finding {
  /**
   * The invariant's name, such as L1 or T3; `tape` for the tape,
   * `proof` for checkpoints and statements of solvency.
   */
  name: string
  says: string
  /** The first row that breaks it, as text or JSON; undefined if it holds. */
  broken: string | undefined
}

interface VerifyOptions {
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

  progress('checkpoints')
  const proof = await verifyProof(db, await loadInstruments(db), (looked) => progress(`checkpoints, ${looked} so far`))
  tell({
    name: 'proof',
    says: `${proof.checkpoints} checkpoints are signed and hold ${proof.trades} settled trades as they are${proof.removed > 0 ? `, ${proof.removed} of them archived or expired` : ''}`,
    broken: proof.broken,
  })

  progress('orders')
  const orders = await verifyOrders(db, await loadInstruments(db))
  tell({
    name: 'proof',
    says: `${orders.orders} orders are what the tape binds`,
    broken: orders.broken,
  })

  progress('statements of solvency')
  const solvency = await verifySolvencyStatements(db)
  tell({
    name: 'proof',
    says: `${solvency.statements} statements of solvency are signed and follow each other; ${solvency.trees} trees lead to their root and total`,
    broken: solvency.broken,
  })

  progress('the tape')
  const tape = await verifyTape(db, proof.frames)
  const gone =
    tape.droppedMinutes > 0 ? `, ${tape.droppedMinutes} minutes beyond the retention checked by their hashes` : ''
  tell({
    name: 'tape',
    says: `${tape.frames} frames with ${tape.ticks} ticks follow each other${gone}`,
    broken: tape.broken,
  })

  const { checked, dropped, divergence } = await replayOutcomes(
    db,
    () => tickReader(db),
    (looked) => progress(`outcomes, ${looked} so far`),
  )
  const beyond = dropped > 0 ? `, ${dropped} are older than the retained tape` : ''
  tell({
    name: 'T3',
    says: `${checked} outcomes match the tape${beyond}`,
    broken: divergence && `trade ${divergence.id} ${divergence.says}`,
  })

  progress('orders to sell')
  const unsold = await replayUnsold(db, () => tickReader(db))
  tell({
    name: 'T12',
    says: `${unsold.checked} trades have orders to sell that weren't carried out, each for the reason that the tape gives${unsold.dropped > 0 ? `, ${unsold.dropped} are older than the retained tape` : ''}`,
    broken: unsold.divergence && `trade ${unsold.divergence.id} ${unsold.divergence.says}`,
  })

  const alerts = await verifyAlerts(db)
  tell({
    name: 'N3',
    says: `${alerts.checked} alerts fired by prices of the tape${alerts.dropped > 0 ? `, ${alerts.dropped} are older than the retained tape` : ''}`,
    broken: alerts.broken,
  })

  const triggers = await verifyTriggers(db)
  tell({
    name: 'O4',
    says: `${triggers.checked} waiting orders were triggered by the first price that fulfilled them${triggers.dropped > 0 ? `, ${triggers.dropped} are older than the retained tape` : ''}`,
    broken: triggers.broken,
  })

  const signals = await replaySignals(
    db,
    () => tickReader(db),
    (looked) => progress(`signals, ${looked} so far`),
  )
  tell({
    name: 'S3',
    says: `${signals.checked} outcomes of signals match the tape${signals.dropped > 0 ? `, ${signals.dropped} are older than the retained tape` : ''}`,
    broken: signals.divergence && `signal ${signals.divergence.id} ${signals.divergence.says}`,
  })
  tell(await nothingLate(db, patienceMs, LATE_TRADES))
  tell(await nothingLate(db, patienceMs, LATE_SALE_ORDERS))
  return findings
}

/** All checks in one snapshot, so that a movement and its account are seen together however busy the server is. */
async function checkRows(db: Db, checks: readonly Check[], progress: (what: string) => void): Promise<Finding[]> {
  return inSnapshot(db, async (snapshot) => {
    await sql`set local statement_timeout = 0`.execute(snapshot)
    const findings: Finding[] = []
    for (const check of checks) {
      const { name, says } = check
      progress(name)
      findings.push({ name, says, broken: (await brokenRows(snapshot, check, 1))[0] })
    }
    return findings
  })
}

interface Lateness {
  name: string
  says: string
  late(db: Db): Promise<{ id: bigint; head: bigint }[]>
}

/** No trade stays pending 8 s of tape time after its end: up to 3 s until the end is proven, and 5 s to settle. */
const LATE_TRADES: Lateness = {
  name: 'T2',
  says: 'no trade is pending 5 s after the tape has proven its end',
  late: lateTrades,
}

/** Also if its trade has ended. */
const LATE_SALE_ORDERS: Lateness = {
  name: 'T12',
  says: 'no order to sell is undecided 5 s after the tape could decide it',
  late: lateSaleOrders,
}

/**
 * After a start, what became due during downtime is still being worked off: something is broken only if it's late twice
 * while the tape advances.
 */
async function nothingLate(db: Db, patienceMs: number, { name, says, late }: Lateness): Promise<Finding> {
  const before = await late(db)
  if (before.length === 0) return { name, says, broken: undefined }
  await sleep(patienceMs)
  const suspects = new Set(before.map((row) => row.id))
  const still = (await late(db)).find((row) => suspects.has(row.id))
  const stands = still !== undefined && still.head - first(before).head < BigInt(Math.floor(patienceMs / 2))
  if (still === undefined) return { name, says, broken: undefined }
  if (stands) return { name, says: `${says} (${before.length} wait for the server to run)`, broken: undefined }
  return { name, says, broken: rowText(still) }
}
