import type { Guarded, GuardLimit, Period } from '#contract/account/guardrails.ts'
import { figure, formatUsd } from '#web/ui/index.ts'

export const HEADINGS: Record<Guarded, { title: string; noun: string; text: string }> = {
  deposits: {
    title: 'Deposits',
    noun: 'deposit limit',
    text: 'Counted when you submit a deposit. A rejected one no longer counts.',
  },
  losses: {
    title: 'Losses',
    noun: 'loss limit',
    text: 'What settled trades lost, less what they won. Open trades count as losses until they settle, so the limit holds however they end.',
  },
  stakes: {
    title: 'Stakes',
    noun: 'stake limit',
    text: 'Counted when a trade is placed, whatever its outcome.',
  },
  time: {
    title: 'Session time',
    noun: 'session time limit',
    text: `Time signed in with ${figure('brand')} open, counted from when you set a limit. Breaks under five minutes count. When it is used up, open trades still settle.`,
  },
}

export const PERIOD_WORDS: Record<Period, { title: string; adjective: string }> = {
  day: { title: 'Day', adjective: 'daily' },
  week: { title: 'Week', adjective: 'weekly' },
  month: { title: 'Month', adjective: 'monthly' },
}

/** `90` is `1 h 30 min`. */
export function formatMinutes(minutes: number): string {
  const hours = Math.floor(minutes / 60)
  const rest = minutes % 60
  if (hours === 0) return `${rest} min`
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`
}

export const amountText = (guarded: Guarded, amount: number): string =>
  guarded === 'time' ? formatMinutes(amount) : formatUsd(amount)

/** What counts towards a limit: open stakes too, and nothing below 0 after a gain. */
export const countedOf = ({ used, max, left }: Pick<GuardLimit, 'used' | 'max' | 'left'>): number =>
  max !== null && left !== null ? Math.max(0, Math.round((max - left) * 100) / 100) : Math.max(0, used)

/** 'Mon 23 Nov', in UTC. */
export function utcDay(time: string): string {
  const [weekday, day, month] = new Date(time).toUTCString().replace(',', '').split(' ')
  return `${weekday} ${Number(day)} ${month}`
}

/** 'Mon 23 Nov 2026, 12:00 UTC'. */
export const utcTime = (time: string): string =>
  `${utcDay(time)} ${new Date(time).getUTCFullYear()}, ${time.slice(11, 16)} UTC`

/** What happens when a limit changes to `to`. */
export function changeText(from: number | null, to: number | null): string {
  if (from === to) return 'This is your limit already.'
  if (from === null || (to !== null && to < from)) return 'Applies at once.'
  return 'A looser limit takes 24 hours. Then you have 7 days to confirm it here. Until you do, nothing changes.'
}

export const REALITY_CHECKS = [
  { value: 0, label: 'Off' },
  { value: 15, label: '15 min' },
  { value: 30, label: '30 min' },
  { value: 60, label: '1 h' },
  { value: 120, label: '2 h' },
] as const

export const TIME_OUTS = [
  { value: 1, label: '1 day' },
  { value: 7, label: '1 week' },
  { value: 14, label: '2 weeks' },
  { value: 28, label: '4 weeks' },
  { value: 42, label: '6 weeks' },
] as const

/** Months; 0 is permanent. */
export const EXCLUSIONS = [
  { value: 6, label: '6 months' },
  { value: 12, label: '1 year' },
  { value: 24, label: '2 years' },
  { value: 60, label: '5 years' },
  { value: 0, label: 'Permanent' },
] as const
