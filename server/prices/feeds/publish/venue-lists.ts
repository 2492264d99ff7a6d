import { must } from '#kernel/must.ts'
import { HOUR_MS, SECOND_MS } from '#kernel/time.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Market, Venue } from '../../../venues/index.ts'

const READ_LISTS_EVERY_MS = HOUR_MS
/** A venue whose list couldn't be read is asked again after this time. */
const RETRY_LISTS_MS = 15 * SECOND_MS
/** The markets that venues list, read again every hour. */
interface VenueLists {
  /** Reads the lists of all venues now. Returns how many answered. */
  read(): Promise<number>
  /** How many venues answered last. */
  answering(): number
  /** Whether any venue has answered yet. */
  isEmpty(): boolean
  /** Returns the venues whose lists are known. */
  known(): { id: string; name: string; markets: readonly Market[] }[]
  stop(): void
}

/** `optional`: there are other prices if the venues can't be reached. `changed`: called after each reading. */
export function createVenueLists(
  venues: readonly Venue[],
  log: Log,
  optional: boolean,
  changed: () => void,
): VenueLists {
  const lists = new Map<string, readonly Market[]>()
  const unreachable = new Set<string>()
  let answering = 0
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function readLists(): Promise<number> {
    clearTimeout(timer)
    const read = await Promise.all(venues.map(readList))
    const answered = read.filter(Boolean).length
    answering = answered
    if (stopped) return answered
    // A venue that doesn't answer keeps the list it had.
    changed()
    timer = setTimeout(() => void readLists(), answered === venues.length ? READ_LISTS_EVERY_MS : RETRY_LISTS_MS)
    timer.unref()
    return answered
  }

  async function readList(venue: Venue): Promise<boolean> {
    try {
      lists.set(venue.id, await venue.markets())
      if (unreachable.delete(venue.id)) log.info({ venue: venue.id }, 'a venue answers again')
      return true
    } catch (error) {
      const level = optional && !lists.has(venue.id) ? 'info' : 'warn'
      if (!unreachable.has(venue.id)) log[level]({ venue: venue.id, error: String(error) }, 'a venue does not answer')
      unreachable.add(venue.id)
      return false
    }
  }

  return {
    read: readLists,
    answering: () => answering,
    isEmpty: () => lists.size === 0,
    known: () =>
      venues.filter(({ id }) => lists.has(id)).map(({ id, name }) => ({ id, name, markets: must(lists.get(id)) })),
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}
