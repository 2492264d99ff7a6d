import type { AutomaticOrder, Automation, SkipReason } from '#contract/trading/automatic.ts'
import { formatDateTime, formatTime } from '#web/ui/index.ts'

/** Why a signal was skipped. */
const SKIPPED: Record<SkipReason, string> = {
  stale: 'The signal was more than 5 seconds old.',
  day: "The day's trades were used up.",
  limit: 'A trading limit was reached.',
  balance: 'The balance was too low.',
  stop: 'One of your stops was reached.',
  profit: 'Your take-profit was reached.',
  pause: 'Automatic trades were pausing after losses.',
  locked: 'Trading is locked on this account.',
  closed: 'The symbol had no fresh price.',
  odds: "Your odds weren't offered for this symbol at that time.",
  ended: 'Automatic trades were paused, stopped or switched off.',
}

export const skippedText = ({ reason }: Pick<AutomaticOrder, 'reason'>): string => (reason ? SKIPPED[reason] : '')

/** How many trades were won, lost and sold. */
export const countsText = ({ won, lost, sold }: Pick<Automation['today'], 'won' | 'lost' | 'sold'>): string =>
  `${won} won, ${lost} lost${sold > 0 ? `, ${sold} sold early` : ''}`

/** What is happening now, in one sentence. */
export function stateText(automation: Automation): string {
  const { state, stop_reason, switched_off, stopped, idle, today, open, settings } = automation
  if (stopped !== undefined && state === 'Running') return `${stopped} Your automatic trades wait and count nothing.`
  const [off] = switched_off
  if (off && switched_off.length === settings.strategies.length && state === 'Running')
    return `This strategy is switched off: ${off.why}`
  if (state === 'Stopped') return stop_reason ?? ''
  if (state === 'Off') return 'Nothing is traded until you start.'
  if (state === 'Paused') return 'Nothing is traded until you resume. Your losses stay counted.'
  if (open) return 'A trade is open. The next signal counts once it has settled.'
  if (idle?.reason === 'pause') return pauseText(idle.until, settings.pause_losses)
  if (idle?.reason === 'profit' || (settings.profit_a_day !== null && today.result >= settings.profit_a_day))
    return "Today's take-profit is reached. Trading resumes at 00:00 UTC."
  if (today.used >= today.limit && !idle) return dayText(today.limit)
  if (!idle) return 'Watching for the next signal.'
  if (idle.reason === 'day') return dayText(today.limit)
  if (idle.reason === 'stop') return 'Your loss limit for today is reached. Trading resumes at 00:00 UTC.'
  if (idle.reason === 'locked')
    return `Trading is locked on this account. We'll try again at ${formatTime(idle.until)}.`
  return `Your balance is too low for the stake. We'll try again at ${formatTime(idle.until)}.`
}

/** `losses`: how many begin a pause; null if the settings have changed since. */
function pauseText(until: string, losses: number | null): string {
  const after = losses === null ? 'losses in a row' : losses === 1 ? 'a loss' : `${losses} losses in a row`
  return `Paused until ${formatDateTime(until)} after ${after}. Trading resumes by itself.`
}

const dayText = (limit: number): string =>
  `Today's ${limit === 1 ? 'trade is' : 'trades are'} used up. Trading resumes at 00:00 UTC.`
