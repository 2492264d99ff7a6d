import type { DrawnChart } from './drawing/draw-chart.ts'

let shown: DrawnChart | undefined

/** Keeps the chart that is on the screen for what acts on it from elsewhere. */
export const setShownChart = (chart: DrawnChart | undefined): void => {
  shown = chart
}

/** The chart that is on the screen. */
export const shownChart = (): DrawnChart | undefined => shown
