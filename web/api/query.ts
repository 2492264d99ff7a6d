import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { CallName, Reply } from '#contract/api.ts'
import { call } from './browser.ts'
import type { Input } from './client.ts'
import { RETRIES } from './problem.ts'

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

/**
 * Returns a call as a query: `useQuery(queryOf('GET /trading', { query: { mode } }))`. The key is `[name, input]`, so
 * `queryClient.invalidateQueries({ queryKey: ['GET /trading'] })` refetches every page and filter.
 */
export function queryOf<K extends CallName>(name: K, input?: Input<K>) {
  return queryOptions<Reply<K>>({
    queryKey: [name, input ?? {}],
    queryFn: ({ signal }) => {
      const send = call as (name: K, input: unknown) => Promise<Reply<K>>
      return send(name, { ...input, signal })
    },
  })
}
