/**
 * Converts US dollars to whole cents. Amounts are JSON numbers in the browser, so sums and differences of them carry
 * binary fractions: 0.1 + 0.2 is 0.30000000000000004.
 */
export const toCents = (dollars: number): number => Math.round(dollars * 100)

/** Rounds US dollars to the cent. */
export const roundToCents = (dollars: number): number => toCents(dollars) / 100
