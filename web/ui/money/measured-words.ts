import type { Reply } from '#contract/api.ts'
import { formatSpan } from '../format.ts'

type Figures = Reply<'GET /public/figures'>['data']

/** Says how soon deposits were credited; undefined with too few. */
export const depositsTook = (figures: Pick<Figures, 'deposits'> | undefined): string | undefined =>
  figures?.deposits
    ? `Half of the ${figures.deposits.credited.toLocaleString('en-US')} deposits of the last 30 days were credited within ${formatSpan(figures.deposits.median_ms)}.`
    : undefined

/** Says how soon withdrawals were paid; undefined with too few. */
export const withdrawalsTook = (figures: Pick<Figures, 'withdrawals'> | undefined): string | undefined =>
  figures?.withdrawals
    ? `Half of the ${figures.withdrawals.paid.toLocaleString('en-US')} withdrawals of the last 30 days were paid within ${formatSpan(figures.withdrawals.median_ms)}.`
    : undefined
