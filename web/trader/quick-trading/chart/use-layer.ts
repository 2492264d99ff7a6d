import { type RefObject, useEffect, useRef } from 'react'
import type { DrawnChart, Layer } from './drawing/draw-chart.ts'

/**
 * Adds a layer to the chart while it's wanted, and loads its code then. `set` shows the newest state on it, and again
 * whenever that changes.
 */
export function useLayer<T extends Layer, State>(
  drawn: RefObject<DrawnChart | undefined>,
  isWanted: boolean,
  load: () => Promise<(chart: DrawnChart) => T>,
  state: State,
  set: (layer: T, state: State) => void,
): RefObject<T | undefined> {
  const layer = useRef<T>(undefined)
  const latest = useRef({ state, set, load })
  useEffect(() => {
    latest.current = { state, set, load }
  })
  useEffect(() => {
    if (!isWanted) return
    const chart = drawn.current
    let isGone = false
    latest.current.load().then(
      (add) => {
        if (isGone || !chart) return
        layer.current = add(chart)
        latest.current.set(layer.current, latest.current.state)
      },
      // The next time that it's wanted tries again.
      () => undefined,
    )
    return () => {
      isGone = true
      if (layer.current) chart?.drop(layer.current)
      layer.current = undefined
    }
  }, [isWanted, drawn])
  useEffect(() => {
    if (layer.current) latest.current.set(layer.current, state)
  }, [state])
  return layer
}
