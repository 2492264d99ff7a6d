import { expect, test } from 'vitest'
import { openBus } from '../platform/bus/index.ts'
import type { Database, Db } from '../platform/database/db.ts'
import { openReads, operatorCaller, traderCaller } from '../platform/database/reads.ts'
import { type Standby, standbyProblem } from '../platform/database/standby.ts'
import { createLog } from '../platform/process/log.ts'
import type { Topics } from './base.ts'
import { subscribeToWrites } from './reads.ts'

/** A standby that covers what the test says. */
async function opened() {
  const named = (name: string) => ({ db: name as unknown as Db }) as Database
  let covered: number | undefined = performance.now()
  const standby: Standby = {
    usable: () =>
      covered === undefined ? undefined : { db: 'standby' as never, lists: 'standby lists' as never, covered },
    behindMs: () => 0,
    problem: () => '',
    refused: () => 0,
    wanted: () => undefined,
    stop: async () => undefined,
  }
  const bus = await openBus<Topics>(createLog('silent'))
  let gap = () => {}
  const reads = openReads({ db: named('primary'), lists: named('primary lists') }, standby)
  subscribeToWrites({ subscribe: bus.subscribe, onGap: (listener) => (gap = listener) }, reads)
  const where = (caller: string | undefined, more: { forDesk?: boolean; newest?: boolean } = {}) =>
    reads.choose({ caller, forDesk: false, newest: false, ...more }) as unknown as string
  return {
    bus,
    reads,
    where,
    gap: () => gap(),
    covers(time: number | undefined) {
      covered = time
    },
  }
}

const [ADA, EVE] = [traderCaller(7n), traderCaller(8n)]

test('a caller reads from the standby until they write, and again once it covers the write', async () => {
  const { reads, where, covers } = await opened()
  expect(where(ADA)).toBe('standby')
  expect(where(ADA, { newest: true })).toBe('primary')
  expect(where(operatorCaller(7n), { forDesk: true })).toBe('standby lists')
  reads.wrote(ADA)
  expect([where(ADA), where(EVE), where(undefined)]).toEqual(['primary', 'standby', 'standby'])
  covers(performance.now())
  expect(where(ADA)).toBe('standby')
  covers(undefined)
  expect([where(EVE), where(undefined, { forDesk: true })]).toEqual(['primary', 'primary lists'])
})

test.each<{ [T in keyof Topics]: [T, Topics[T]] }[keyof Topics]>([
  ['wrote', { callers: [ADA] }],
  ['user-news', { userId: '7', news: { op: 'notice' } as never }],
  ['balances-changed', { userIds: ['7'] }],
  ['trades-opened', [{ id: '1', userId: '7', symbolId: 1, tradeTime: 1 }]],
  ['trades-changed', { tradeIds: ['1'], userIds: ['7'] }],
  ['automatic-changed', { accountIds: ['15'] }],
])('what another node reports as %s is in what its trader reads next', async (topic, message) => {
  const { bus, where, covers } = await opened()
  bus.publish(topic, message as never)
  expect([where(ADA), where(EVE), where(undefined)]).toEqual(['primary', 'standby', 'standby'])
  covers(performance.now())
  expect(where(ADA)).toBe('standby')
})

test('what concerns everyone, and messages that were missed, send everyone to the primary', async () => {
  const { bus, where, covers, gap } = await opened()
  for (const happens of [gap, () => bus.publish('instruments-changed', null)]) {
    happens()
    expect([where(ADA), where(undefined)]).toEqual(['primary', 'primary'])
    covers(performance.now())
    expect([where(ADA), where(undefined)]).toEqual(['standby', 'standby'])
  }
})

test('a standby is one of the same database, on the timeline of the primary', () => {
  const primary = { position: '100', timeline: 2, system: '1' }
  expect(standbyProblem({ ...primary, is_standby: true }, primary)).toBe('')
  expect(standbyProblem({ ...primary, is_standby: false }, primary)).toBe('it is no standby')
  expect(standbyProblem({ ...primary, is_standby: true, timeline: 1 }, primary)).toBe('it does not follow the primary')
  expect(standbyProblem({ ...primary, is_standby: true, system: '2' }, primary)).toBe(
    'it is a copy of another database',
  )
})
