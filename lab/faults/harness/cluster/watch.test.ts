import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { makeFrame } from '#server/prices/tape/leader/next-frame.ts'
import { appendStatement, readHead } from '#server/prices/tape/store.ts'
import { startTestPrices } from '#tests/support/prices/prices.ts'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { appendsOf, longestGaps, noteAppends, wrongAppends } from './watch.ts'

test("finds an append without the tape's lock, and the session that made it", async () => {
  const database = await testDatabase()
  const admin = await connectTo(database.superUrl)
  onTestFinished(() => admin.end())
  await noteAppends({ ask: async (text) => (await admin.query(text)).rows })
  const { db, close } = openDatabase(database.superUrl, { max: 1, name: 'test', log: createLog('silent') })
  onTestFinished(close)
  const prices = await startTestPrices(database)
  await prices.tick({ BTCUSDT: '1' })
  await prices.tick({ BTCUSDT: '2' })
  expect(await wrongAppends(db, 0)).toEqual([])

  const other = await connectTo(database.superUrl)
  onTestFinished(() => other.end())
  const head = await readHead(other)
  await other.query(appendStatement(prices.instruments, makeFrame(head, head.t + 250, []), []))
  expect(await wrongAppends(db, 0)).toEqual([expect.stringMatching(/ appended frame 3 without the lock$/)])
  const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid')
  expect(await appendsOf(db, rows[0]!.pid, 0)).toEqual([3n])
  expect((await longestGaps(db, 0))['no frame for']).toBeGreaterThan(0)
  expect(await wrongAppends(db, Date.now() + 1_000)).toEqual([])
})
