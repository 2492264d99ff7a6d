import type { Ms } from '#kernel/time.ts'

const machineTime = async (): Promise<Ms> => Date.now()
let read = machineTime

/** Returns the server's time: that of this machine, unless a test advances the server's tape. */
export const serverTime = (): Promise<Ms> => read()

/** Sets where the server's time is read; without an argument, it's this machine's again. */
export function followServerTime(from: () => Promise<Ms> = machineTime): void {
  read = from
}
