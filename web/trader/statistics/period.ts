import { dayIn, dayStart } from '#kernel/zone.ts'

/** The last so many days, today included; all trades; or from one day to another. */
export const PERIODS = ['7', '30', '90', 'all', 'days'] as const
export type PeriodName = (typeof PERIODS)[number]

export interface Period {
  name: PeriodName
  /** The first and last day, `YYYY-MM-DD`, of `days`. */
  from: string | undefined
  to: string | undefined
}

const DAY = /^20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/
const dayOf = (text: string | null): string | undefined => (text !== null && DAY.test(text) ? text : undefined)

/** Reads the period from an address: 30 days unless it says another. */
export function periodOf(query: URLSearchParams): Period {
  const name = PERIODS.find((one) => one === query.get('period')) ?? '30'
  return { name, from: dayOf(query.get('from')), to: dayOf(query.get('to')) }
}

/** Returns from when until before when a period's trades ended, Unix ms. Days are those of the zone. */
export function timesOf({ name, from, to }: Period, zone: string, now: number) {
  if (name === 'all') return {}
  if (name === 'days')
    return {
      ...(from !== undefined && { from: dayStart(zone, from) }),
      ...(to !== undefined && { until: dayStart(zone, to, 1) }),
    }
  return { from: dayStart(zone, dayIn(zone, now), 1 - Number(name)) }
}
