/** The fixed terms of charts: separate from `terms.ts`, which every page loads. */

/** How the chart shows prices. */
export const CHART_KINDS = ['candles', 'hollow', 'bars', 'line', 'area', 'heikin'] as const
export type ChartKind = (typeof CHART_KINDS)[number]
/** Colours of indicators and drawings; each theme has its own shade. */
export const CHART_COLOURS = ['blue', 'orange', 'violet', 'teal', 'red', 'pink', 'gold', 'grey'] as const
export type ChartColour = (typeof CHART_COLOURS)[number]
/** The points that each kind of drawing has. */
export const DRAWING_POINTS = { horizontal: 1, vertical: 1, trend: 2, ray: 2, rectangle: 2, fibonacci: 2 } as const
export type DrawingKind = keyof typeof DRAWING_POINTS
export const DRAWING_KINDS = Object.keys(DRAWING_POINTS) as [DrawingKind, ...DrawingKind[]]
/** Most indicators on a chart, layouts of an account, drawings of a symbol, characters of a layout's name, and bytes of all. */
export const CHART_LIMITS = { indicators: 10, layouts: 12, drawings: 40, name: 40, bytes: 65_536 } as const
