import { create } from 'zustand'
import type { Bar } from '../candles.ts'

/** A line of an indicator in the legend. */
export interface LegendLine {
  id: string
  /** `EMA 20`. */
  name: string
  values: readonly { text: string; colour: string }[]
}

interface Legend {
  /** The bar under the crosshair, or else the newest one. */
  bar: Bar | undefined
  /** The bar before it: the change is from its close. */
  before: Bar | undefined
  /** Whether the crosshair is on the chart. */
  isPointed: boolean
  lines: readonly LegendLine[]
  /** Where it ends, below the top of the chart, px. The chart labels settled trades below it. */
  bottom: number
}

/** What the legend over the chart shows. The chart writes it with each move of the crosshair and each price. */
export const useLegend = create<Legend>(() => ({
  bar: undefined,
  before: undefined,
  isPointed: false,
  lines: [],
  bottom: 0,
}))
