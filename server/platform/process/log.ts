import { type DestinationStream, pino } from 'pino'

/** Fields that could hold a secret, in the entry itself or in an object of it. */
const SECRET = ['password', 'token', 'authorization', 'cookie', 'hash', 'session']

/** Writes JSON lines to standard error. Redacts anything that could hold a secret, whichever caller logs it. */
export function createLog(level: string, out: DestinationStream = pino.destination({ dest: 2, sync: true })) {
  return pino(
    {
      level,
      redact: {
        paths: [...SECRET, ...SECRET.map((field) => `*.${field}`), 'req.headers', 'url'],
        censor: '[hidden]',
      },
    },
    out,
  )
}

export type Log = ReturnType<typeof createLog>
