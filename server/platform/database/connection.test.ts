import { expect, test } from 'vitest'
import { testDatabase } from '#tests/support/servers/database.ts'
import { createLog } from '../process/log.ts'
import { bigints, openConnection, smallints } from './connection.ts'

const asIs = (value: number) => value
const ends = (max: number) => [max, -max, 0, 1, -1]

test('binary arrays arrive as the numbers that they encode', async () => {
  const { appUrl } = await testDatabase()
  const connection = openConnection(appUrl, 'test', createLog('silent'))
  const arrive = async (type: string, array: Buffer) => {
    const [row] = await connection.run<{ text: string }>(type, `select array_to_string($1::${type}[], ' ') as text`, [
      array,
    ])
    return row!.text === '' ? [] : row!.text.split(' ').map(Number)
  }
  const large = [...ends(Number.MAX_SAFE_INTEGER), 2 ** 31, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1]
  expect(await arrive('bigint', bigints(large, asIs))).toEqual(large)
  expect(await arrive('smallint', smallints(ends(32_767), asIs))).toEqual(ends(32_767))
  expect(await arrive('bigint', bigints([], asIs))).toEqual([])
  expect(await arrive('smallint', smallints([], asIs))).toEqual([])
  await connection.close()
})

test('statements that are sent at once run one after the other, even after one that failed', async () => {
  const { appUrl } = await testDatabase()
  const connection = openConnection(appUrl, 'test', createLog('silent'))
  const warnings: string[] = []
  const note = ({ message }: Error) => warnings.push(message)
  process.on('warning', note)
  const ended: string[] = []
  const run = (name: string, text: string) =>
    connection
      .run(name, text, [])
      .catch(() => undefined)
      .then(() => ended.push(name))
  await Promise.all([run('slow', 'select pg_sleep(0.05)'), run('wrong', 'select 1 / 0'), run('quick', 'select 1')])
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', note)
  // The driver warns if it has to queue them itself, which its next version doesn't.
  expect([ended, warnings]).toEqual([['slow', 'wrong', 'quick'], []])
  await connection.close()
})
