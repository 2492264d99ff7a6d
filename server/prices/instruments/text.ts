/** Formats whole units at a scale as decimal text, like `formatPrice`, but without a bigint. */
export function unitsText(units: number, scale: number): string {
  if (scale === 0) return String(units)
  const digits = String(units).padStart(scale + 1, '0')
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
