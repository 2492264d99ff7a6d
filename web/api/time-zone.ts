/** The zone that the reader's clock shows. */
const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** Returns the zone of the trader's days and hours. */
export const timeZone = (): string => browserZone()
