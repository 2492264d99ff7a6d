import { MINUTE_MS } from '#kernel/time.ts'
import type { Log } from '../process/log.ts'

/** Entries of one minute; what is more is counted, so that a flood can't fill the disk. */
const ENTRIES_PER_MINUTE = 60

interface Minute {
  entries: number
  suppressed: Map<string, number>
}

const minutes = new WeakMap<Log, Minute>()

/**
 * Logs what an operator looks for after an attack: failed sign-ins, refused access. `fields` name people by number and
 * networks; never what was typed. Beyond 60 entries a minute only their number is logged, at its end.
 */
export function securityEvent(log: Log, event: string, fields: Record<string, string | undefined>): void {
  const minute = minutes.get(log) ?? begin(log)
  if (minute.entries++ < ENTRIES_PER_MINUTE) log.warn({ security: event, ...fields }, 'a security event')
  else minute.suppressed.set(event, (minute.suppressed.get(event) ?? 0) + 1)
}

function begin(log: Log): Minute {
  const minute: Minute = { entries: 0, suppressed: new Map() }
  minutes.set(log, minute)
  setTimeout(() => {
    minutes.delete(log)
    if (minute.suppressed.size > 0)
      log.warn({ security: 'more', ...Object.fromEntries(minute.suppressed) }, 'more security events of this minute')
  }, MINUTE_MS).unref()
  return minute
}
