import { dollars } from '#kernel/money.ts'
import { modeOf, userOf } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Tx } from '../platform/db.ts'
import { START_AGAIN, type SyncedRow } from './reserve.sql.ts'

/** Writes a notification if a stop has just acted. */
export async function notifyStop(tx: Tx, notices: Notices, row: SyncedRow): Promise<void> {
  const news = newsOf(row)
  if (!news) return
  const mode = modeOf(row.account_id)
  await notices.write(tx, {
    userId: userOf(row.account_id),
    kind: 'automatic',
    path: '/user/automatic',
    title: news.title,
    text: `${news.text} (${mode} account)`,
  })
}

function newsOf(row: SyncedRow): { title: string; text: string } | undefined {
  switch (row.verdict) {
    case 'losses-in-row':
      return {
        title: 'Automatic trades stopped',
        text: `Stopped after ${row.losses_in_row} ${row.losses_in_row === 1 ? 'loss' : 'losses'} in a row. ${START_AGAIN}`,
      }
    case 'loss-in-all':
      return {
        title: 'Automatic trades stopped',
        text: `Another trade could have taken your losses over ${dollars(row.loss_in_all)}, your maximum total loss. ${START_AGAIN}`,
      }
    case 'loss-a-day':
      return {
        title: 'Automatic trades are done for today',
        text: `Another trade could have taken today's losses over ${dollars(row.loss_a_day)}. They continue tomorrow (UTC).`,
      }
    case 'ineligible':
      return {
        title: 'Automatic trades stopped',
        text: 'Trading with real money needs a plan and an approved identity.',
      }
    default:
      return undefined
  }
}
