import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#web/api/index.ts'

/** What a withdrawal needs, as it is now: somebody may have mended it a moment ago, in another tab or a letter. */
export const useRequirements = () =>
  useQuery({ ...queryOf('GET /withdraw/requirements'), staleTime: 0, refetchOnWindowFocus: true }).data?.data
