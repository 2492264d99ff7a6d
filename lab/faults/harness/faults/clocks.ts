import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDatabase, sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { type ShiftedClock, shiftableClock } from '#tests/support/servers/shifted-clock.ts'
import { openOwnDatabase } from '../own-database.ts'
import type { Fault } from './fault.ts'

const TWO_HOURS = 7_200
const SHIFTED_MS = 3_000

let clock: ShiftedClock | undefined

/** The machine's clock, which the server and its database both read. */
export const clocks: Fault[] = [
  {
    name: 'clock-jump',
    says: 'the clock jumps two hours forward, two hours back, and 30 s forward',
    group: 'clock',
    clockJumps: true,
    async enter({ world }) {
      clock = await shiftableClock(world.dataDir)
      await world.start(clock.env)
    },
    async inject() {
      for (const seconds of [TWO_HOURS, -TWO_HOURS, 30, 0]) {
        await clock!.shift(seconds)
        await sleep(SHIFTED_MS)
      }
      return 4
    },
    async leave({ world }) {
      const own = await openOwnDatabase(world.dataDir)
      const { db, close } = openDatabase(own.url, { max: 1, name: 'onlooker', log: createLog('silent') })
      await sql.raw('alter database cleartick reset search_path').execute(db)
      await sql.raw('drop schema shifted cascade').execute(db)
      await close()
      await own.stop()
      rmSync(join(world.dataDir, 'shift'), { force: true })
      clock = undefined
    },
  },
]
