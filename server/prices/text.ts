/** Decimal text of whole units at a scale, as `formatPrice` writes it, without going through a bigint. */
export function unitsText(units: number, scale: number): string {
  if (scale === 0) return String(units)
  const digits = String(units).padStart(scale + 1, '0')
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
