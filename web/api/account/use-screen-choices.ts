import { useQuery } from '@tanstack/react-query'
import type { ScreenChoices } from '#contract/account/profile.ts'
import { queryOf } from '../requests/query.ts'
import { useKept } from './keeper.ts'
import { keptScreen } from './screen-choices.ts'

const NOTHING: ScreenChoices = {}

/** What the trader chose on the trading screen, on any device; `undefined` until that is known or can't be. */
export function useScreenChoices(): ScreenChoices | undefined {
  const { data, isError } = useQuery({ ...queryOf('GET /users/screen'), staleTime: Number.POSITIVE_INFINITY })
  return useKept(keptScreen, data?.data ?? (isError ? NOTHING : undefined))
}
