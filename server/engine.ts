import type { Base } from './base.ts'
import { logAuditHead, recordFactorReset } from './desk/index.ts'
import { startFactorResets, startResetWorker } from './identity/index.ts'
import { startMailWorker } from './platform/mail/index.ts'

/**
 * The work that nobody waits for, on nodes with the role `engine`. Prices, settlement, signals and automatic trades are
 * the engine's too; their rooms start them.
 */
export function startEngine({ config, log, db, bus, mail, notices, publicUrl }: Base): { stop(): Promise<void> } {
  const mailing = config.SMTP_URL
    ? startMailWorker({ db, log, smtpUrl: config.SMTP_URL, from: { name: config.BRAND, address: config.MAIL_FROM } })
    : undefined
  const identity = { db, log, brand: config.BRAND, publicUrl, mail, notices, recordReset: recordFactorReset }
  const resets = startResetWorker(identity)
  const factorResets = startFactorResets(identity)
  const headLog = logAuditHead({ db, log })
  bus.subscribe('wake', (what) => {
    if (what === 'mail') mailing?.wake()
    else resets.wake()
  })
  return {
    async stop() {
      await Promise.all([mailing?.stop(), resets.stop(), factorResets.stop(), headLog.stop()])
    },
  }
}
