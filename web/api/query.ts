import { QueryClient } from '@tanstack/react-query'
import { queriesOf, RETRIES } from '#web/client/index.ts'
import { call } from './browser.ts'

/** The query cache. The stream reports changes, so window focus doesn't trigger a refetch. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      ...RETRIES,
    },
  },
})

export const queryOf = queriesOf(call)
