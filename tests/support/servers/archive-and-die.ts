import type { Step } from '#ops/archive/archive-day.ts'
import { archiveDay } from '#ops/archive/index.ts'
import { targetAt } from '#ops/backup/index.ts'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { loadInstruments } from '#server/prices/index.ts'

/** Archives a day in this process, which dies by SIGKILL after a step. Arguments: database, folder, key, day, step. */
const [url, folder, key, day, last] = process.argv.slice(2) as [string, string, string, string, Step]
const { db } = openDatabase(url, { max: 1, name: 'archive', log: createLog('silent') })
const step = (done: Step) => {
  if (done === last) process.kill(process.pid, 'SIGKILL')
}
const target = await targetAt(folder, 'archive')
await archiveDay({ db, instruments: await loadInstruments(db), target, key: Buffer.from(key, 'hex'), step }, day)
