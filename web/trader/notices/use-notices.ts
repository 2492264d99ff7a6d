import { useQuery } from '@tanstack/react-query'
import type { Reply } from '#contract/api.ts'
import { call, isOwnAct, queryClient, queryOf, useUserMessages } from '#web/api/index.ts'
import { toast } from '#web/ui/index.ts'
import { allRead, withNotice } from './taken.ts'

/** As many as a panel holds; all of them together are the account's letters. */
const NEWEST = queryOf('GET /notices', { query: { limit: '30' } })

const change = (by: (known: Reply<'GET /notices'>) => Reply<'GET /notices'>) =>
  queryClient.setQueryData(NEWEST.queryKey, (known) => known && by(known))

/** The newest notices, kept up to date; a new one is said once. To be used in one place. */
export function useNotices() {
  useUserMessages((message) => {
    if (message.op !== 'notice') return
    if (!isOwnAct(message.data.kind)) toast.info(message.data.title)
    change((known) => withNotice(known, message.data))
    // An answer that is under way may not have it yet.
    if (queryClient.isFetching({ queryKey: NEWEST.queryKey }) > 0) {
      void queryClient.invalidateQueries({ queryKey: NEWEST.queryKey })
    }
  })
  return useQuery(NEWEST)
}

/** How many notices are unread. */
export const useUnread = (): number => useQuery(NEWEST).data?.unread ?? 0

/** Marks everything up to the newest that is shown as read. */
export async function markRead(newestId: string): Promise<void> {
  change(allRead)
  try {
    await call('POST /notices/read', { body: { up_to: newestId } })
  } catch {
    // They stay unread on the server: the next reading says so.
    void queryClient.invalidateQueries({ queryKey: NEWEST.queryKey })
  }
}
