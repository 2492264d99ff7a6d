/** Returns the digits of a typed or pasted code (`123 456`, `123-456`), six at most. */
export const tidyCode = (text: string): string => text.replace(/\D/g, '').slice(0, 6)

export const isWholeCode = (text: string): boolean => /^\d{6}$/.test(text)
