import { useQuery } from '@tanstack/react-query'
import type { DeskOverview } from '#contract/desk/overview.ts'
import { PAGES, QUEUES, type Queue } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { OFTEN_MS, queryOf } from '../api.ts'
import { useSession } from '../session.ts'

interface PendingTerms {
  /** The singular name of an item. */
  of: string
  path: string
  sees: readonly OperatorRole[]
}

/** What isn't a queue is decided on a page. */
const ON_PAGES: Record<string, PendingTerms> = {
  voids: { of: 'void', path: '/trades', sees: PAGES.trades.sees },
  settings: { of: 'change of settings', path: '/settings', sees: PAGES.settings.sees },
  'operator-changes': { of: 'change of operators', path: '/operators', sees: PAGES.operators.sees },
}

/** What the inbox shows of an item of this queue, or of what pages decide. */
export function pendingTerms(queue: string): PendingTerms | undefined {
  const terms = QUEUES[queue as Queue]
  return terms ? { of: terms.of, path: `/${queue}`, sees: terms.sees } : ON_PAGES[queue]
}

const NO_ROLES: readonly OperatorRole[] = []
export const useRoles = (): readonly OperatorRole[] => useSession(({ operator }) => operator?.roles ?? NO_ROLES)

/** The overview, which reloads in background windows too: an open desk answers chats. */
const useOverview = () =>
  useQuery({ ...queryOf('GET /desk/overview', undefined, OFTEN_MS), refetchIntervalInBackground: true })

/** The people at the desk, once they are loaded. */
export const usePeople = (): DeskOverview['people'] | undefined => useOverview().data?.data.people

/** The pending items of the queues that the operator sees, counted. */
export function usePending(): DeskOverview['queues'] {
  const overview = useOverview()
  const roles = useRoles()
  return (overview.data?.data.queues ?? []).filter(({ queue }) =>
    pendingTerms(queue)?.sees.some((role) => roles.includes(role)),
  )
}

/** How many items of all these queues wait, and how many of them for a second person. */
export const sumOf = (queues: DeskOverview['queues'], of: 'waiting' | 'mine' | 'second'): number =>
  queues.reduce((sum, row) => sum + row[of], 0)
