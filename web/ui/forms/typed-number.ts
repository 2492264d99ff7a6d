/** Removes the thousands marks of a number as people type it. */
export const ungrouped = (typed: string): string => typed.trim().split(',').join('')

/** Reads a number as people type it: `70,000.5` or `70000.5`; NaN if it's none. */
export function readNumber(text: string): number {
  return /^-?(\d+|\d{1,3}(,\d{3})+)(\.\d+)?$/.test(text.trim()) ? Number(ungrouped(text)) : Number.NaN
}
