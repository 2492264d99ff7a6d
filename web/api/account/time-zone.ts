import { useEffect, useSyncExternalStore } from 'react'
import { zoneNamed, zoneOffset } from '#kernel/zone.ts'
import { setLocalOffset } from '#web/ui/index.ts'
import { useScreenChoices } from './use-screen-choices.ts'

/** Remembers the choice in this browser, so that the first paint has the right days. */
const KEY = 'time-zone'

/** Returns the zone that the browser's clock shows. */
export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

let chosen = remembered()
const listeners = new Set<() => void>()

function remembered(): string | undefined {
  try {
    const zone = localStorage.getItem(KEY)
    return zone ? zoneNamed(zone) : undefined
  } catch {
    return undefined
  }
}

function follow(): void {
  const zone = chosen
  setLocalOffset(zone === undefined ? undefined : (time) => zoneOffset(zone, time))
}
follow()

/** Returns the zone of the trader's days and hours: the one they chose, else the browser's. */
export const timeZone = (): string => chosen ?? browserZone()

function takeChoice(zone: string | undefined): void {
  const next = zone ? zoneNamed(zone) : undefined
  if (next === chosen) return
  chosen = next
  try {
    if (next) localStorage.setItem(KEY, next)
    else localStorage.removeItem(KEY)
  } catch {
    // Without storage, it's read again with the next page.
  }
  follow()
  for (const listener of listeners) listener()
}

/** Follows the zone that the trader chose, on any device. What is shown has to be drawn again when it changes. */
export function useTimeZone(): string {
  const choices = useScreenChoices()
  useEffect(() => {
    if (choices) takeChoice(choices.time_zone)
  }, [choices])
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    timeZone,
    timeZone,
  )
}
