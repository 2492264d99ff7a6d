import { useQuery } from '@tanstack/react-query'
import type { Guardrails } from '#contract/guardrails.ts'
import { queryClient, queryOf, useUserMessages } from '#web/api/index.ts'

const QUERY = queryOf('GET /guardrails')

/** Reads the limits again: something happened that they count. */
export const readGuardrails = (): void => void queryClient.invalidateQueries({ queryKey: QUERY.queryKey })

/** Shows limits that a call has returned. */
export const showGuardrails = (data: Guardrails): void =>
  void queryClient.setQueryData(QUERY.queryKey, { status: true, data })

/** The trader's limits, read again when the server says so. */
export function useGuardrails() {
  useUserMessages((message) => {
    if (message.op === 'guardrails') readGuardrails()
  })
  return useQuery(QUERY)
}
