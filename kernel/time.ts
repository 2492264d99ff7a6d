/** Unix milliseconds. On the server a tape time, never the machine's clock (docs/glossary.md: tape time). */
export type Ms = number

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** ISO 8601 in UTC, as every time in an answer is written. */
export const toIso = (time: Ms): string => new Date(time).toISOString()

/** The start of the period of `lengthMs` that holds `time`, counted from the epoch (days are UTC days). */
export const startOf = (time: Ms, lengthMs: number): Ms => Math.floor(time / lengthMs) * lengthMs
