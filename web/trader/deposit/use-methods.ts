import { useQuery } from '@tanstack/react-query'
import { queryOf } from '#web/api/index.ts'

/** Returns the deposit methods that are set up; undefined until that is known. */
export const useMethods = () => useQuery(queryOf('GET /deposit/methods')).data?.data
