import type { PAYOUTS_DUE } from '#contract/desk/terms.ts'

/** When open withdrawals are due, as text. */
export const DUE_NAMES = {
  late: 'Overdue',
  1: 'In 1 day',
  3: 'In 3 days',
  later: 'Later',
} as const satisfies Record<(typeof PAYOUTS_DUE)[number], string>
