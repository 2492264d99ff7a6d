/** Formats a value with three significant digits, in a Grafana unit that the dashboard uses. Throws on other units. */
export function formatValue(value: number, unit: string): string {
  const [factor, symbol] = scaleOf(value, unit)
  return `${digits(value / factor)}${symbol}`
}

/**
 * Returns the grid lines of an axis from `min` to at least `max`, in at most `most` steps. They are round numbers in
 * the unit: minutes for long times, powers of 1,024 for bytes.
 */
export function axisTicks(min: number, max: number, unit: string, most: number): number[] {
  const span = max > min ? max - min : 1
  const step = roundSteps(unit, span).find((candidate) => span / candidate <= most)!
  const first = Math.floor(min / step)
  const last = Math.max(Math.ceil(max / step - 1e-9), first + 1)
  return Array.from({ length: last - first + 1 }, (_, at) => (first + at) * step)
}

type Scale = [factor: number, symbol: string]

const DURATIONS: Scale[] = [
  [86_400, ' days'],
  [3_600, ' hours'],
  [60, ' min'],
  [1, ' s'],
  [1e-3, ' ms'],
  [1e-6, ' µs'],
]
const COUNTS: Scale[] = [
  [1e9, ' Bil'],
  [1e6, ' Mil'],
  [1e3, ' K'],
  [1, ''],
]
const BYTES: Scale[] = [
  [1024 ** 4, ' TiB'],
  [1024 ** 3, ' GiB'],
  [1024 ** 2, ' MiB'],
  [1024, ' KiB'],
  [1, ' B'],
]

function scaleOf(value: number, unit: string): Scale {
  const largest = (scales: Scale[]) => scales.find(([factor]) => Math.abs(value) >= factor)
  switch (unit) {
    case 'none':
      return [1, '']
    case 's':
      return largest(DURATIONS) ?? [1, ' s']
    case 'percentunit':
      return [0.01, ' %']
    case 'bytes':
      return largest(BYTES) ?? [1, ' B']
    case 'ops':
    case 'reqps': {
      const [factor, prefix] = largest(COUNTS) ?? [1, '']
      return [factor, `${prefix} ${unit === 'ops' ? 'ops/s' : 'req/s'}`]
    }
    default:
      throw new Error(`The picture can't show the unit ${unit}. Add it to deploy/monitoring/units.ts.`)
  }
}

function digits(value: number): string {
  if (Math.abs(value) >= 1_000) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

/** Lists round steps for an axis of this length, smallest first. */
function roundSteps(unit: string, span: number): number[] {
  const decimal = Array.from({ length: 24 }, (_, at) => at - 9).flatMap((power) =>
    [1, 2, 5].map((digit) => digit * 10 ** power),
  )
  if (unit === 's' && span > 60) {
    const clock = [10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200]
    return [...clock, ...decimal.filter((step) => step >= 1).map((step) => step * 86_400)]
  }
  if (unit === 'bytes')
    return [1, 1024, 1024 ** 2, 1024 ** 3, 1024 ** 4].flatMap((power) =>
      [1, 2, 5, 10, 20, 50, 100, 200, 500].map((digit) => digit * power),
    )
  // There is no half trade or half process.
  return unit === 'none' ? decimal.filter((step) => step >= 1) : decimal
}
