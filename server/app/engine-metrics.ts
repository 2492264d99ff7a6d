import { oldestUnpaidSeconds, payoutHalt } from '../cashier/index.ts'
import { overdueComplaints } from '../complaints/index.ts'
import { deskBacklog, failedDeskSignIns } from '../desk/index.ts'
import type { Reconciliation } from '../invariants/index.ts'
import type { Db } from '../platform/database/db.ts'
import { lastRuns } from '../platform/database/maintenance.ts'
import { readReplicas } from '../platform/database/replicas.ts'
import { mailBacklog } from '../platform/mail/index.ts'
import type { Metrics } from '../platform/observe/metrics.ts'
import { cachedFor } from '../platform/process/cached-for.ts'
import type { Clock } from '../platform/process/clock.ts'
import type { Prices } from '../prices/index.ts'
import { keyCounts } from '../proof/index.ts'
import { lastFigures, smallestRoom } from '../risk/index.ts'
import { tradeBacklog } from '../trading/index.ts'
import type { Base } from './base.ts'
import { certificateMetrics, databaseServerMetrics } from './surroundings-metrics.ts'

/** The database is read at most this often, however often metrics are requested. */
const READ_EVERY_MS = 5_000
const MEASURE_EVERY_MS = 60_000

/** Registers what the engine measures: its own work, and what the whole installation shares. */
export function engineMetrics(
  metrics: Metrics,
  { base, reconciliation, keyId }: { base: Base; reconciliation: Reconciliation; keyId: string },
): void {
  const { config, db, prices, clock } = base
  priceMetrics(metrics, prices)
  tradeBacklogMetrics(metrics, db, clock)
  if (config.SMTP_URL) mailMetrics(metrics, db)
  deskMetrics(metrics, db)
  deskSignInMetrics(metrics, db)
  maintenanceMetrics(metrics, db)
  replicaMetrics(metrics, db)
  bookMetrics(metrics, db, reconciliation)
  riskMetrics(metrics, db)
  proofMetrics(metrics, db, keyId)
  tapeMetrics(metrics, prices)
  databaseServerMetrics(metrics, db)
  certificateMetrics(metrics, base.publicUrl)
}

function priceMetrics(metrics: Metrics, prices: Prices): void {
  const { tape, instruments } = prices
  metrics.gauge('cleartick_leader', 'Whether this node writes the tape', (set) => set(prices.leads() ? 1 : 0))
  metrics.gauge(
    'cleartick_feed',
    'The source that prices come from',
    (set) => {
      for (const [kind, source] of ['live', 'replay', 'simulation'].entries())
        set(tape.kindNow() === kind ? 1 : 0, { source })
    },
    ['source'],
  )
  metrics.gauge(
    'cleartick_symbols',
    'Symbols that can be traded, by state of their price',
    (set) => {
      const states = instruments.list.flatMap(({ tradingType, symbol }) =>
        tradingType === null ? [] : [tape.status(symbol).status],
      )
      for (const state of ['open', 'stale', 'closed'] as const)
        set(states.filter((one) => one === state).length, { state })
    },
    ['state'],
  )
  const reports = cachedFor(READ_EVERY_MS, () => prices.reports())
  metrics.gauge(
    'cleartick_exchange_markets',
    'Markets that are watched at each exchange',
    async (set) => {
      for (const { venue, markets } of (await reports()).venues) set(markets, { exchange: venue })
    },
    ['exchange'],
  )
  metrics.gauge(
    'cleartick_exchange_markets_counted',
    'Markets of each exchange whose price counts now',
    async (set) => {
      for (const { venue, counted } of (await reports()).venues) set(counted, { exchange: venue })
    },
    ['exchange'],
  )
  metrics.total(
    'cleartick_quotes_rejected_total',
    'Rejected quotes, by reason',
    (set) => {
      for (const [reason, count] of prices.refused()) set(count, { reason })
    },
    ['reason'],
  )
}

function tradeBacklogMetrics(metrics: Metrics, db: Db, clock: Clock): void {
  const backlog = cachedFor(READ_EVERY_MS, () => tradeBacklog(db, clock.now()))
  metrics.gauge('cleartick_trades_open', 'Open trades, counted up to 200,000', async (set) =>
    set((await backlog()).open),
  )
  metrics.gauge('cleartick_trades_due', 'Open trades whose end has passed', async (set) => set((await backlog()).due))
  metrics.gauge('cleartick_trades_due_age_seconds', 'Time since the end of the oldest due trade', async (set) =>
    set((await backlog()).oldestDueMs / 1000),
  )
}

function mailMetrics(metrics: Metrics, db: Db): void {
  const mails = cachedFor(READ_EVERY_MS, () => mailBacklog(db))
  metrics.gauge('cleartick_mails_waiting', 'E-mails that wait to be sent', async (set) => set((await mails()).waiting))
  metrics.gauge('cleartick_mails_age_seconds', 'Age of the oldest e-mail that waits', async (set) =>
    set((await mails()).oldestSeconds),
  )
}

function deskMetrics(metrics: Metrics, db: Db): void {
  const desk = cachedFor(READ_EVERY_MS, () => deskBacklog(db))
  metrics.gauge(
    'cleartick_desk_waiting',
    'Items that wait for an operator, by queue',
    async (set) => {
      for (const { queue, waiting } of await desk()) set(waiting, { queue })
    },
    ['queue'],
  )
  metrics.gauge(
    'cleartick_desk_age_seconds',
    'Age of the oldest item of each queue',
    async (set) => {
      for (const { queue, oldestSeconds } of await desk()) set(oldestSeconds, { queue })
    },
    ['queue'],
  )

  const overdue = cachedFor(READ_EVERY_MS, () => overdueComplaints(db))
  metrics.gauge(
    'cleartick_complaints_overdue',
    'Open complaints after the day they had to be decided by',
    async (set) => set((await overdue()).complaints),
  )
  metrics.gauge(
    'cleartick_rulings_unpaid',
    "Approved rulings whose stakes haven't been returned after ten minutes",
    async (set) => set((await overdue()).rulings),
  )
}

function deskSignInMetrics(metrics: Metrics, db: Db): void {
  const failed = cachedFor(READ_EVERY_MS, () => failedDeskSignIns(db))
  metrics.gauge('cleartick_desk_sign_ins_failed', 'Failed sign-ins at the desk in the last hour', async (set) =>
    set(await failed()),
  )
}

function maintenanceMetrics(metrics: Metrics, db: Db): void {
  const runs = cachedFor(READ_EVERY_MS, () => lastRuns(db))
  metrics.gauge(
    'cleartick_maintenance_succeeded',
    'Whether the last verify or backup succeeded',
    async (set) => {
      for (const { command, succeeded } of await runs()) set(succeeded ? 1 : 0, { command })
    },
    ['command'],
  )
  metrics.gauge(
    'cleartick_maintenance_last_run_timestamp_seconds',
    'When verify or backup last ran',
    async (set) => {
      for (const { command, finishedAt } of await runs()) set(finishedAt.getTime() / 1000, { command })
    },
    ['command'],
  )
  metrics.gauge(
    'cleartick_maintenance_last_success_timestamp_seconds',
    'When verify or backup last succeeded',
    async (set) => {
      for (const { command, succeededAt } of await runs())
        if (succeededAt) set(succeededAt.getTime() / 1000, { command })
    },
    ['command'],
  )
}

function replicaMetrics(metrics: Metrics, db: Db): void {
  const replicas = cachedFor(READ_EVERY_MS, () => readReplicas(db))
  metrics.gauge('cleartick_replicas', 'Standbys and backups that read the log', async (set) =>
    set((await replicas()).length),
  )
  metrics.gauge(
    'cleartick_replica_lag_seconds',
    'How far each standby is behind. Needs pg_read_all_stats',
    async (set) => {
      for (const { name, lagSeconds } of await replicas())
        if (lagSeconds !== undefined) set(lagSeconds, { replica: name })
    },
    ['replica'],
  )
}

function bookMetrics(metrics: Metrics, db: Db, reconciliation: Reconciliation): void {
  const halt = cachedFor(READ_EVERY_MS, () => payoutHalt(db))
  metrics.gauge('cleartick_payouts_halted', "Whether payouts are halted because the books don't agree", async (set) =>
    set((await halt()) ? 1 : 0),
  )
  const unpaid = cachedFor(READ_EVERY_MS, () => oldestUnpaidSeconds(db))
  metrics.gauge(
    'cleartick_withdrawals_unpaid_age_seconds',
    'Time since the approval of the oldest withdrawal that is not paid',
    async (set) => set(await unpaid()),
  )
  metrics.gauge('cleartick_reconciliation_age_seconds', 'Time since the books were last known to agree', (set) => {
    const age = reconciliation.ageSeconds()
    if (age !== undefined) set(age)
  })
}

function riskMetrics(metrics: Metrics, db: Db): void {
  const figures = cachedFor(READ_EVERY_MS, () => lastFigures(db))
  metrics.gauge(
    'cleartick_house_room_ratio',
    'What the house may still lose on the fullest side, as a part of its bound; 0 without equity',
    async (set) => {
      const last = await figures()
      if (last) set(smallestRoom(last.figures))
    },
  )
}

function proofMetrics(metrics: Metrics, db: Db, keyId: string): void {
  const signs = cachedFor(READ_EVERY_MS, async () => (await keyCounts(db, keyId)) === true)
  metrics.gauge(
    'cleartick_proof_key_waits',
    "Whether this engine's key signs nothing, because it isn't published or was revoked",
    async (set) => set((await signs()) ? 0 : 1, { key: keyId }),
    ['key'],
  )
}

function tapeMetrics(metrics: Metrics, prices: Prices): void {
  const size = cachedFor(MEASURE_EVERY_MS, () => prices.measure())
  metrics.gauge(
    'cleartick_tape_bytes',
    'Bytes of the tape: one day of chain, one day of bodies, all retained bodies',
    async (set) => {
      const { chainBytesPerDay, bodyBytesPerDay, bodyBytes } = await size()
      set(chainBytesPerDay, { of: 'chain_per_day' })
      set(bodyBytesPerDay, { of: 'bodies_per_day' })
      set(bodyBytes, { of: 'bodies_kept' })
    },
    ['of'],
  )
}
