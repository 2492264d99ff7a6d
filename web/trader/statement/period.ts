export const PERIODS = ['this-month', 'last-month', 'this-year', 'own'] as const
export type Period = (typeof PERIODS)[number]

/** The first and last day of a statement, inclusive, `YYYY-MM-DD` in UTC. */
export interface Days {
  from: string
  to: string
}

const dayOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10)

/** Returns the days of a period as of today. A custom period starts as the last thirty days. */
export function daysOf(period: Period, now: Date): Days {
  const year = now.getUTCFullYear()
  const month = now.getUTCMonth()
  const today = dayOf(year, month, now.getUTCDate())
  switch (period) {
    case 'this-month':
      return { from: dayOf(year, month, 1), to: today }
    case 'last-month':
      return { from: dayOf(year, month - 1, 1), to: dayOf(year, month, 0) }
    case 'this-year':
      return { from: dayOf(year, 0, 1), to: today }
    case 'own':
      return { from: dayOf(year, month, now.getUTCDate() - 29), to: today }
  }
}

/** Returns the problem of a custom period; `undefined` if there is none. */
export function problemOf({ from, to }: Days): { field: 'from' | 'to'; message: string } | undefined {
  if (from === '') return { field: 'from', message: 'must not be empty' }
  if (to === '') return { field: 'to', message: 'must not be empty' }
  return to < from ? { field: 'to', message: 'must not be before the first day' } : undefined
}
