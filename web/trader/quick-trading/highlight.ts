import { useEffect, useRef } from 'react'
import { create } from 'zustand'

const NONE: readonly string[] = []

/** The trades under the pointer or with focus: the chart and the lists show them together. */
export const useHighlight = create<{ ids: readonly string[] }>(() => ({ ids: NONE }))

export const highlight = (ids: readonly string[]): void => useHighlight.setState({ ids })

/** Ends it for these trades. */
const release = (ids: readonly string[]): void => {
  if (ids.some((id) => useHighlight.getState().ids.includes(id))) highlight(NONE)
}

/** Returns the handlers of an element that stands for these trades, which may change while it's under the pointer. */
export function useHighlightOn(ids: readonly string[]) {
  const isOn = useRef(false)
  const key = ids.join()
  useEffect(() => {
    const now = key.split(',')
    if (isOn.current) highlight(now)
    // An element that disappears under the pointer or with focus reports neither.
    return () => release(now)
  }, [key])
  const on = () => {
    isOn.current = true
    highlight(ids)
  }
  const off = () => {
    isOn.current = false
    release(ids)
  }
  return { onPointerEnter: on, onPointerLeave: off, onFocus: on, onBlur: off }
}

export const useIsHighlit = (id: string): boolean => useHighlight(({ ids }) => ids.includes(id))
