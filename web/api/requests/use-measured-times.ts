import { useQuery } from '@tanstack/react-query'
import { queryOf } from './query.ts'

/**
 * Returns how soon deposits were credited and withdrawals paid in the last 30 days, each null if there were too few;
 * undefined until that is known.
 */
export const useMeasuredTimes = () => useQuery(queryOf('GET /public/figures')).data?.data
