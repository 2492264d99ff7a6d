import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'
import { MINUTE_MS } from '#kernel/time.ts'

/** Fields that could hold a secret, in the entry itself or in an object of it. */
const SECRET = ['password', 'token', 'authorization', 'cookie', 'hash', 'session']
/** Entries of one kind in a minute. What is more is counted, so that nothing that a client does can fill the disk. */
const ENTRIES_PER_MINUTE = 60

/**
 * Writes JSON lines to standard error. Redacts anything that could hold a secret, whichever caller logs it. Of each
 * kind of entry, 60 a minute are written: the kind is the message, or the field `security` of a security event.
 */
export function createLog(level: string, out: DestinationStream = pino.destination({ dest: 2, sync: true })) {
  return pino(
    {
      level,
      redact: {
        paths: [...SECRET, ...SECRET.map((field) => `*.${field}`), 'req.headers', 'url'],
        censor: '[hidden]',
      },
      hooks: { logMethod: limited() },
    },
    out,
  )
}

export type Log = ReturnType<typeof createLog>

/** Writes an entry, unless there were many of its kind in this minute; those are counted, and logged at its end. */
function limited() {
  const counts = new Map<string, number>()
  function endMinute(log: Logger): void {
    const more = [...counts].flatMap(([kind, n]) => (n > ENTRIES_PER_MINUTE ? [[kind, n - ENTRIES_PER_MINUTE]] : []))
    counts.clear()
    if (more.length > 0) log.warn({ more: Object.fromEntries(more) }, 'entries that were not written')
  }
  return function write(this: Logger, args: Parameters<LogFn>, method: LogFn): void {
    const kind = kindOf(args)
    if (counts.size === 0) setTimeout(() => endMinute(this), MINUTE_MS).unref()
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    if (count <= ENTRIES_PER_MINUTE) method.apply(this, args)
  }
}

/** What is logged: messages are constants, and everything else is in fields. */
function kindOf([fields, message]: Parameters<LogFn>): string {
  const security = typeof fields === 'object' && fields !== null && 'security' in fields ? fields.security : undefined
  return String(security ?? message ?? fields)
}
