const STEPS = [
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const

/** Formats a result in at most five characters, for a cell of the calendar: `+9`, `−401`, `+12k`, `−1.2M`. */
export function shortDollars(amount: number): string {
  const whole = Math.round(Math.abs(amount))
  const sign = amount >= 0.5 ? '+' : amount <= -0.5 ? '−' : ''
  for (const [size, unit] of STEPS) {
    if (whole < size) continue
    const value = whole / size
    return `${sign}${value < 9.95 ? value.toFixed(1) : Math.round(value)}${unit}`
  }
  return `${sign}${whole}`
}
