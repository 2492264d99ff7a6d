import { useEffect } from 'react'
import { create } from 'zustand'

const NONE: readonly string[] = []

/** The trades under the pointer or with focus: the chart and the lists show them together. */
export const useHighlight = create<{ ids: readonly string[] }>(() => ({ ids: NONE }))

export const highlight = (ids: readonly string[]): void => useHighlight.setState({ ids })

/** Ends it for these trades. */
const release = (ids: readonly string[]): void => {
  if (ids.some((id) => useHighlight.getState().ids.includes(id))) highlight(NONE)
}

/** Returns the handlers of an element that stands for these trades. */
export function useHighlightOn(ids: readonly string[]) {
  const key = ids.join()
  // An element that disappears under the pointer or with focus reports neither.
  useEffect(() => () => release(key.split(',')), [key])
  return {
    onPointerEnter: () => highlight(ids),
    onPointerLeave: () => release(ids),
    onFocus: () => highlight(ids),
    onBlur: () => release(ids),
  }
}

export const useIsHighlit = (id: string): boolean => useHighlight(({ ids }) => ids.includes(id))
