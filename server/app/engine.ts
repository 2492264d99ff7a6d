import { logAuditHead, recordDroppedMail, recordFactorReset } from '../desk/index.ts'
import { startFactorResets, startResetWorker } from '../identity/index.ts'
import { type Reconciliation, startReconciliation } from '../invariants/index.ts'
import { inTransaction } from '../platform/database/db.ts'
import { startMailWorker, takeDropped } from '../platform/mail/index.ts'
import { startLoop } from '../platform/process/loop.ts'
import { openProofKey, startCheckpoints, startSolvency, startTimestamps } from '../proof/index.ts'
import type { Base } from './base.ts'

/** Commits wake it; this is for wake-ups that were lost. */
const DROPS_EVERY_MS = 10_000

/**
 * The work that nobody waits for, on nodes with the role `engine`. Prices, settlement, signals and automatic trades are
 * the engine's too; their rooms start them.
 */
export function startEngine({ config, log, db, bus, mail, metrics, notices, publicUrl }: Base): {
  stop(): Promise<void>
} {
  const mailing = config.SMTP_URL
    ? startMailWorker({ db, log, smtpUrl: config.SMTP_URL, from: { name: config.BRAND, address: config.MAIL_FROM } })
    : undefined
  const identity = { db, log, brand: config.BRAND, publicUrl, mail, notices, recordReset: recordFactorReset }
  const resets = startResetWorker(identity)
  const factorResets = startFactorResets(identity)
  const headLog = logAuditHead({ db, log })
  const dropped = metrics.counter(
    'cleartick_mails_dropped_total',
    'Hours in which a recipient had e-mails dropped, by budget',
    ['budget'],
  )
  const drops = startLoop('dropped e-mails', DROPS_EVERY_MS, log, () =>
    inTransaction(db, async (tx) => {
      for (const one of await takeDropped(tx)) {
        await recordDroppedMail(tx, one)
        tx.afterCommit(() => dropped({ budget: one.budget }))
      }
    }),
  )
  bus.subscribe('wake', (what) => {
    if (what === 'mail') {
      mailing?.wake()
      drops.wake()
    } else if (what === 'resets') resets.wake()
  })
  return {
    async stop() {
      await Promise.all([mailing?.stop(), drops.stop(), resets.stop(), factorResets.stop(), headLog.stop()])
    },
  }
}

/** Publishes what proves the tape, the trades and the books, and checks the books, on nodes with the role `engine`. */
export function startProof({ config, log, db, prices }: Base): {
  reconciliation: Reconciliation
  /** This engine's key. */
  keyId: string
  stop(): Promise<void>
} {
  const { leads, instruments } = prices
  const key = openProofKey(config.dataDir, config.PROOF_KEY)
  const everyMs = config.CHECKPOINT_SECONDS * 1_000
  const checkpoints = startCheckpoints({ db, log, key, instruments, leads, everyMs })
  const timestamps =
    config.TIMESTAMP_URL === undefined ? undefined : startTimestamps({ db, log, url: config.TIMESTAMP_URL, leads })
  const solvency = startSolvency({ db, log, key, leads, production: config.production })
  const reconciliation = startReconciliation({ db, log, leads, everyMs: config.RECONCILE_SECONDS * 1_000 })
  return {
    reconciliation,
    keyId: key.id,
    async stop() {
      await checkpoints.stop()
      await timestamps?.stop()
      await solvency.stop()
      await reconciliation.stop()
    },
  }
}
