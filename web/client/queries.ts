import { queryOptions } from '@tanstack/react-query'
import type { CallName, Reply } from '#contract/api.ts'
import type { Input } from './client.ts'

/**
 * Returns `queryOf`, which turns a call of this client into a query: `useQuery(queryOf('GET /trading', { query: { mode
 * } }))`. The key is `[name, input]`, so `queryClient.invalidateQueries({ queryKey: ['GET /trading'] })` refetches every
 * page and filter. With `everyMs` the query is refetched at that interval.
 */
export function queriesOf(call: unknown) {
  const send = call as (name: CallName, input: unknown) => Promise<unknown>
  return function queryOf<K extends CallName>(name: K, input?: Input<K>, everyMs?: number) {
    return queryOptions<Reply<K>>({
      queryKey: [name, input ?? {}],
      queryFn: ({ signal }) => send(name, { ...input, signal }) as Promise<Reply<K>>,
      ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
    })
  }
}
