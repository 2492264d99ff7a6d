import { expect, test } from 'vitest'
import { askStepUp, useStepUp } from './step-up.ts'

test('one question at a time: the second waits until the first is answered', async () => {
  const first = askStepUp()
  const second = askStepUp()
  await Promise.resolve()
  useStepUp.getState().answer?.('one')
  expect(await first).toBe('one')
  await Promise.resolve()
  useStepUp.getState().answer?.(undefined)
  expect(await second).toBeUndefined()
  expect(useStepUp.getState().answer).toBeUndefined()
})
