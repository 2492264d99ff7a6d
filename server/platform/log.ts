import { pino } from 'pino'

/** JSON lines on standard error. Secrets never reach them: what could hold one is cut out here, whoever logs it. */
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
