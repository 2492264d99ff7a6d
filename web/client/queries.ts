import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
  queryOptions,
} from '@tanstack/react-query'
import type { CallName, Reply } from '#contract/api.ts'
import type { Input } from './client.ts'
import { RETRIES } from './problem.ts'

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

/**
 * A cache in which invalidating a query always ends with a read that began later. TanStack Query restarts a read of a
 * query that has data, but lets a first one finish, which may have been answered before the change. One more read follows
 * a first one, however often its query is invalidated meanwhile.
 */
class FreshQueryClient extends QueryClient {
  readonly #rereads = new Map<string, Promise<void>>()

  override async invalidateQueries(filters: InvalidateQueryFilters = {}, options?: InvalidateOptions): Promise<void> {
    const firstReads = this.getQueryCache()
      .findAll(filters)
      .filter(({ state }) => state.data === undefined && state.fetchStatus === 'fetching')
    const read = super.invalidateQueries(filters, options)
    await Promise.all([read, ...firstReads.map((query) => this.#rereadAfter(read, query, options))])
  }

  #rereadAfter(read: Promise<void>, { queryHash, queryKey }: Query, options?: InvalidateOptions): Promise<void> {
    const reread =
      this.#rereads.get(queryHash) ??
      read
        .finally(() => this.#rereads.delete(queryHash))
        .then(() => super.invalidateQueries({ queryKey, exact: true }, options))
    this.#rereads.set(queryHash, reread)
    return reread
  }
}

/** Creates an app's query cache. Failed reads that may succeed later are repeated. */
export const createQueryClient = (queries: { staleTime: number; refetchOnWindowFocus: boolean }): QueryClient =>
  new FreshQueryClient({ defaultOptions: { queries: { ...queries, ...RETRIES } } })
