import { useQuery } from '@tanstack/react-query'
import type { Guardrails } from '#contract/account/guardrails.ts'
import { queryClient, queryOf, useIsGuest, useUserMessages } from '#web/api/index.ts'

const QUERY = queryOf('GET /guardrails')

/** Reloads the limits after something that counts towards them. */
export const readGuardrails = (): void => void queryClient.invalidateQueries({ queryKey: QUERY.queryKey })

/** Shows limits that a call has returned. */
export const showGuardrails = (data: Guardrails): void =>
  void queryClient.setQueryData(QUERY.queryKey, { status: true, data })

/** The trader's limits, reloaded when the server reports a change. */
export function useGuardrails() {
  useUserMessages((message) => {
    if (message.op === 'guardrails') readGuardrails()
  })
  // Guests trade in demo only, without limits of their own.
  const isGuest = useIsGuest()
  return useQuery({ ...QUERY, enabled: !isGuest })
}
