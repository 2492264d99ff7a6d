import type { Reply } from '#contract/api.ts'
import { formatSpan } from '../format.ts'

type Figures = Reply<'GET /public/figures'>['data']

/** Says how soon deposits were credited; undefined with too few. */
export const depositsTook = (figures: Pick<Figures, 'deposits'> | undefined): string | undefined =>
  figures?.deposits
    ? `Of ${figures.deposits.credited.toLocaleString('en-US')} deposits credited in the last 30 days, half took ${formatSpan(figures.deposits.median_ms)} or less.`
    : undefined

/** Says how soon withdrawals were paid; undefined with too few. */
export const withdrawalsTook = (figures: Pick<Figures, 'withdrawals'> | undefined): string | undefined =>
  figures?.withdrawals
    ? `Of ${figures.withdrawals.paid.toLocaleString('en-US')} withdrawals paid in the last 30 days, half took ${formatSpan(figures.withdrawals.median_ms)} or less.`
    : undefined
