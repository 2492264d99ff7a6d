import { dollars } from '#kernel/money.ts'
import { first, must } from '#kernel/must.ts'
import { type Ms, toIso } from '#kernel/time.ts'
import { zoneOffset } from '#kernel/zone.ts'
import { modeOf, userOf } from '../../ledger/index.ts'
import type { Notices } from '../../notices/index.ts'
import type { Tx } from '../../platform/database/db.ts'
import { START_AFTER_PROFIT, START_AGAIN, type SyncedRow } from './reserve.sql.ts'

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
    case 'profit-in-all':
      return {
        title: 'Automatic trades stopped',
        text: `Your profit since the start reached ${dollars(must(row.profit_in_all))}, your take-profit. ${START_AFTER_PROFIT}`,
      }
    case 'profit-a-day':
      return {
        title: 'Automatic trades are done for today',
        text: `Today's profit reached ${dollars(must(row.profit_a_day))}, your take-profit a day. They continue tomorrow (UTC).`,
      }
    case 'pause':
      return {
        title: 'Automatic trades are pausing',
        text: `${row.pause_losses} ${row.pause_losses === 1 ? 'loss' : 'losses in a row'}: no signal is traded until ${clockText(Number(must(row.paused_until)), row.time_zone)}. They continue by themselves.`,
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

/** Returns a time in a zone: `2026-11-27 14:30 (Europe/Berlin)`. */
function clockText(time: Ms, zone: string): string {
  const local = toIso(time + zoneOffset(zone, time))
  return `${local.slice(0, 10)} ${local.slice(11, 16)} (${zone})`
}
