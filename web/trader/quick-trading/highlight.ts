import { create } from 'zustand'

const NONE: readonly string[] = []

/** The trades under the pointer or with focus: the chart and the lists show them together. */
export const useHighlight = create<{ ids: readonly string[] }>(() => ({ ids: NONE }))

export const highlight = (ids: readonly string[]): void => useHighlight.setState({ ids })

/** Returns the handlers of an element that stands for these trades. */
export const highlightOn = (ids: readonly string[]) => ({
  onPointerEnter: () => highlight(ids),
  onPointerLeave: () => highlight(NONE),
  onFocus: () => highlight(ids),
  onBlur: () => highlight(NONE),
})

export const useIsHighlit = (id: string): boolean => useHighlight(({ ids }) => ids.includes(id))
