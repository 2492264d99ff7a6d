import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#web/api/index.ts'

const useAsked = () => useQuery({ ...queryOf('GET /withdraw/requirements'), staleTime: 0, refetchOnWindowFocus: true })

/** What a withdrawal needs, as it is now: somebody may have mended it a moment ago, in another tab or a letter. */
export const useRequirements = () => useAsked().data?.data

/** Whether that was answered, or could not be: until then nobody knows what stands above the ways to withdraw. */
export const useRequirementsAnswered = () => !useAsked().isPending
