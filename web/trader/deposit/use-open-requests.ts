import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router'
import type { DepositRequest } from '#contract/money/cashier.ts'
import { queryClient, queryOf } from '#web/api/index.ts'

const NAME = 'GET /deposit/requests'
const PARAM = 'request'

/** Loads the open requests again: one was made, submitted or cancelled. */
export const readOpenRequests = () => queryClient.invalidateQueries({ queryKey: [NAME] })

/**
 * Returns the open requests, and the one that the address names, so that it is found again after a reload, Back or in
 * another tab.
 */
export function useOpenRequests() {
  const [params, setParams] = useSearchParams()
  const { data } = useQuery(queryOf(NAME))
  const requests = data?.data ?? []
  const shown = requests.find(({ request_id }) => request_id === params.get(PARAM))
  return {
    requests,
    shown,
    show: (request: DepositRequest | undefined) =>
      setParams(
        (now) => {
          if (request) now.set(PARAM, request.request_id)
          else now.delete(PARAM)
          return now
        },
        { replace: true },
      ),
  }
}
