import { createQueryClient, queriesOf } from '#web/client/index.ts'
import { call } from '../browser.ts'

/** The query cache. The stream reports changes, so window focus doesn't trigger a refetch. */
export const queryClient = createQueryClient({ staleTime: 30_000, refetchOnWindowFocus: false })

export const queryOf = queriesOf(call)
