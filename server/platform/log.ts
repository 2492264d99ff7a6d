import { pino } from 'pino'

/** Writes JSON lines to standard error. Redacts anything that could hold a secret, whichever caller logs it. */
export function createLog(level: string) {
  return pino(
    {
      level,
      redact: {
        paths: ['*.password', '*.token', '*.authorization', '*.cookie', '*.hash', '*.session', 'req.headers', 'url'],
        censor: '[hidden]',
      },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

export type Log = ReturnType<typeof createLog>
