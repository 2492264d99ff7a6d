import { dollars } from '#kernel/money.ts'
import { first } from '#kernel/must.ts'
import { modeOf, userOf } from '../ledger/index.ts'
import type { Notices } from '../notices/index.ts'
import type { Tx } from '../platform/database/db.ts'
import { START_AGAIN, type SyncedRow } from './reserve.sql.ts'

/** Writes the notifications of stops that have just acted: those with the same text together, since many may stop at once. */
export async function notifyStops(tx: Tx, notices: Notices, rows: readonly SyncedRow[]): Promise<void> {
  const stops = rows.flatMap((row) => {
    const news = newsOf(row)
    return news ? [{ userId: userOf(row.account_id), ...news }] : []
  })
  for (const same of Map.groupBy(stops, ({ title, text }) => `${title}\n${text}`).values()) {
    const { title, text } = first(same)
    const userIds = same.map(({ userId }) => userId)
    await notices.writeToAll(tx, userIds, { kind: 'automatic', path: '/user/automatic', title, text })
  }
}

function newsOf(row: SyncedRow): { title: string; text: string } | undefined {
  const news = newsOfVerdict(row)
  return news && { ...news, text: `${news.text} (${modeOf(row.account_id)} account)` }
}

function newsOfVerdict(row: SyncedRow): { title: string; text: string } | undefined {
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
