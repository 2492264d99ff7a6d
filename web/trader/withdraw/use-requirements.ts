import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#web/api/index.ts'

const useAsked = () => useQuery({ ...queryOf('GET /withdraw/requirements'), staleTime: 0, refetchOnWindowFocus: true })

/**
 * The current requirements of a withdrawal. Always reloaded: the trader may have just completed one in another tab or
 * by an e-mailed link.
 */
export const useRequirements = () => useAsked().data?.data

/**
 * Whether the requirements were loaded or failed to load; until then the layout above the withdrawal methods is
 * unknown.
 */
export const useRequirementsAnswered = () => !useAsked().isPending
