import { QueryClient, queryOptions } from '@tanstack/react-query'
import type { CallName, Reply } from '#contract/api.ts'
import { call } from './browser.ts'
import type { Input } from './client.ts'
import { RETRIES } from './problem.ts'

/** The cache of answers. The stream says what is new, so nothing is read again only because a window got the focus. */
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
 * A call as a query: `useQuery(queryOf('GET /trading', { query: { mode } }))`. The key is `[name, input]`, so
 * `queryClient.invalidateQueries({ queryKey: ['GET /trading'] })` reads every page and filter of it again.
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
