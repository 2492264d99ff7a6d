import { CHART_COLOURS, type ChartColour } from '#contract/trading/chart-terms.ts'
import type { Look } from './look.ts'

/** Shades that are distinct on the dark and on the light chart: at least 3 : 1 to its background. */
const SHADES: Record<ChartColour, { dark: string; light: string }> = {
  blue: { dark: 'rgb(122, 156, 255)', light: 'rgb(47, 85, 224)' },
  orange: { dark: 'rgb(255, 159, 92)', light: 'rgb(191, 86, 10)' },
  violet: { dark: 'rgb(190, 140, 255)', light: 'rgb(124, 58, 205)' },
  teal: { dark: 'rgb(70, 205, 215)', light: 'rgb(0, 121, 133)' },
  red: { dark: 'rgb(255, 116, 128)', light: 'rgb(195, 42, 59)' },
  pink: { dark: 'rgb(247, 134, 200)', light: 'rgb(184, 38, 122)' },
  gold: { dark: 'rgb(232, 200, 96)', light: 'rgb(138, 101, 0)' },
  grey: { dark: 'rgb(150, 163, 184)', light: 'rgb(95, 105, 125)' },
}

const known = new WeakMap<Look, boolean>()

/** Whether the chart's background is dark. Each line of each frame asks. */
function isDark(look: Look): boolean {
  const before = known.get(look)
  if (before !== undefined) return before
  const dark = isDarkColour(look.background)
  known.set(look, dark)
  return dark
}

function isDarkColour(background: string): boolean {
  const [red = 0, green = 0, blue = 0] = (background.match(/[\d.]+/g) ?? []).map(Number)
  return red * 0.3 + green * 0.6 + blue * 0.1 < 128
}

/** Returns a colour's shade for the theme. */
export const shadeOf = (colour: ChartColour, look: Look): string => SHADES[colour][isDark(look) ? 'dark' : 'light']

/** Returns the first colours that are least in use. */
export function freeColours(count: number, used: readonly ChartColour[]): ChartColour[] {
  const uses = (colour: ChartColour) => used.filter((other) => other === colour).length
  const order = [...CHART_COLOURS].sort((a, b) => uses(a) - uses(b))
  return Array.from({ length: count }, (_, at) => order[at % order.length] ?? 'blue')
}
