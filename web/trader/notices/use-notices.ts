import { useQuery } from '@tanstack/react-query'
import type { Reply } from '#contract/api.ts'
import { call, isOwnAction, queryClient, queryOf, useUserMessages } from '#web/api/index.ts'
import { toast } from '#web/ui/index.ts'
import { allRead, withNotice } from './loaded-notices.ts'

/** As many as fit the panel; the complete record is in the account's e-mails. */
const NEWEST = queryOf('GET /notices', { query: { limit: '30' } })

const change = (by: (known: Reply<'GET /notices'>) => Reply<'GET /notices'>) =>
  queryClient.setQueryData(NEWEST.queryKey, (known) => known && by(known))

/** The newest notices, updated live; a new one is shown as a toast once. Use it in one place only. */
export function useNotices() {
  useUserMessages((message) => {
    if (message.op !== 'notice') return
    if (!isOwnAction(message.data.kind)) toast.info(message.data.title)
    change((known) => withNotice(known, message.data))
    // A response in flight may not include it yet.
    if (queryClient.isFetching({ queryKey: NEWEST.queryKey }) > 0) {
      void queryClient.invalidateQueries({ queryKey: NEWEST.queryKey })
    }
  })
  return useQuery(NEWEST)
}

/** Returns the number of unread notices. */
export const useUnread = (): number => useQuery(NEWEST).data?.unread ?? 0

/** Marks everything up to the newest shown notice as read. */
export async function markRead(newestId: string): Promise<void> {
  change(allRead)
  try {
    await call('POST /notices/read', { body: { up_to: newestId } })
  } catch {
    // They stay unread on the server; the next load shows that.
    void queryClient.invalidateQueries({ queryKey: NEWEST.queryKey })
  }
}
