import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { ScreenChoices } from '#contract/profile.ts'
import { queryOf } from './query.ts'
import { chosenHere, useChosen, writeChoices } from './screen-choices.ts'
import { useUser } from './store.ts'

/** What the trader chose on the trading screen, on any device; `undefined` until that is known or can't be. */
export function useScreenChoices(): ScreenChoices | undefined {
  const { id } = useUser()
  const { data, isError } = useQuery({ ...queryOf('GET /users/screen'), staleTime: Number.POSITIVE_INFINITY })
  const chosen = useChosen()
  useEffect(writeChoices, [])
  return useMemo(
    () => (data || isError ? { ...data?.data, ...chosenHere(chosen, id) } : undefined),
    [data, isError, chosen, id],
  )
}
