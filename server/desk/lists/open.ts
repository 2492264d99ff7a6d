import { QUEUES, type QueueTerms, TO_DO } from '#contract/desk/terms.ts'
import type { QueueFilter } from './read.ts'

/** Replaces `status=to_do` of a query by the open statuses of its queue. */
export function withOpen<Filter extends QueueFilter>(queue: string, query: Filter): Filter {
  if (query.status !== TO_DO) return query
  const terms = (QUEUES as Record<string, QueueTerms>)[queue]
  return terms ? { ...query, status: terms.open } : query
}
