import { useQuery } from '@tanstack/react-query'
import type { ChartDocument } from '#contract/trading/chart.ts'
import { call, keeper, queryOf, useKept, useScreenChoices } from '#web/api/index.ts'

const NOTHING: ChartDocument = {}

const keptChart = keeper<ChartDocument>(
  'charts',
  (before, change) => ({
    ...before,
    ...change,
    // Each change has all drawings of its symbols.
    ...((before.drawings || change.drawings) && { drawings: { ...before.drawings, ...change.drawings } }),
  }),
  (change) => call('PATCH /users/chart', { body: change }),
)

/** Keeps indicators, layouts, or the drawings of a symbol with the account. */
export const changeChart = keptChart.choose

/** What the trader has put on the charts, on any device; `undefined` until that is known or can't be. */
export function useChartDocument(): ChartDocument | undefined {
  const choices = useScreenChoices()
  const { data, isError } = useQuery({
    ...queryOf('GET /users/chart'),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: choices?.has_chart === true,
  })
  const isNothing = isError || (choices !== undefined && !choices.has_chart)
  return useKept(keptChart, data?.data ?? (isNothing ? NOTHING : undefined))
}
