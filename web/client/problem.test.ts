import { expect, test } from 'vitest'
import { CallError } from './client.ts'
import { mayPass, problemOf, retryDelayMs } from './problem.ts'

const query = { error: null, failureReason: null, fetchStatus: 'idle', refetch: () => undefined } as const

test('retries only temporary failures', () => {
  expect(mayPass(new CallError('no answer'))).toBe(true)
  expect(mayPass(new CallError('restarting', 503, 'unavailable'))).toBe(true)
  expect(mayPass(new CallError('no card payments here', 503, 'not_configured'))).toBe(false)
  expect(mayPass(new CallError('wrong', 422, 'validation_failed'))).toBe(false)
  expect(mayPass(new TypeError('a mistake of ours'))).toBe(false)
})

test('waits longer after each failure, but never more than five seconds', () => {
  const waits = [0, 1, 2, 3, 30].map((failures) => retryDelayMs(failures, () => 1))
  expect(waits).toEqual([1_000, 2_000, 4_000, 5_000, 5_000])
  expect(retryDelayMs(0, () => 0)).toBe(750)
})

test('shows a problem from the first failed try, and none once a try succeeded', () => {
  expect(problemOf(query)).toBeUndefined()
  const retried = problemOf({ ...query, failureReason: new CallError('restarting', 503), fetchStatus: 'fetching' })
  expect(retried).toMatchObject({ message: 'restarting', isRetrying: true })
  expect(problemOf({ ...query, error: new CallError('wrong', 422) })).toMatchObject({ isRetrying: false })
})
