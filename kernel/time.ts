/** Unix milliseconds. On the server this is tape time, never the machine's clock (docs/glossary.md: tape time). */
export type Ms = number

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Formats a time as ISO 8601 in UTC, the format of every time in a response. */
export const toIso = (time: Ms): string => new Date(time).toISOString()

/** Returns the start of the period of `lengthMs` that contains `time`, counted from the epoch (days are UTC days). */
export const startOf = (time: Ms, lengthMs: number): Ms => Math.floor(time / lengthMs) * lengthMs
