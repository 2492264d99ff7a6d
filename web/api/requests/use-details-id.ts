import { useState } from 'react'
import { useSearchParams } from 'react-router'

/**
 * The row of a list whose details are open, and how another one's are opened: the chosen one, else the one that this
 * parameter of the address names, as a notification's link does. Closing them removes it from the address.
 */
export function useDetailsId(parameter: string) {
  const [query, setQuery] = useSearchParams()
  const linked = query.get(parameter) ?? undefined
  const [chosen, setChosen] = useState<string>()
  const setDetailsId = (next: string | undefined) => {
    setChosen(next)
    if (next !== undefined || linked === undefined) return
    query.delete(parameter)
    setQuery(query, { replace: true, preventScrollReset: true })
  }
  return [chosen ?? linked, setDetailsId] as const
}
