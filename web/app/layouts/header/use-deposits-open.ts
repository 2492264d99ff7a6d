import { useQuery } from '@tanstack/react-query'
import { queryOf, useMode } from '#web/api/index.ts'

/** Returns how many deposits await their payment or their credit; undefined for none, and in demo mode. */
export function useDepositsOpen(): number | undefined {
  const isReal = useMode() === 'real'
  const { data } = useQuery({ ...queryOf('GET /deposit/requests'), enabled: isReal })
  return (isReal && data && data.data.length + data.pending) || undefined
}
