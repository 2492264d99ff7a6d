import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { openPasswords } from './password.ts'

const passwords = openPasswords()

test('verifies a password in any Unicode composition, and rejects others', async () => {
  const stored = await passwords.hash('Zürich 1')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.verify('Zürich 1', stored)).toBe(true)
  expect(await passwords.verify('Zu\u0308rich 1', stored)).toBe(true)
  expect(await passwords.verify('Zürich 2', stored)).toBe(false)
  expect(await passwords.hash('Zürich 1')).not.toBe(stored)
})

test('rejects after the same work if no password is stored', async () => {
  const stored = await passwords.hash('right')
  const timed = async (hash: string | undefined) => {
    const began = performance.now()
    expect(await passwords.verify('wrong', hash)).toBe(false)
    return performance.now() - began
  }
  const ratios: number[] = []
  for (let i = 0; i < 9; i++) ratios.push((await timed(undefined)) / (await timed(stored)))
  const median = ratios.sort((a, b) => a - b)[4]!
  expect(median).toBeGreaterThan(0.5)
  expect(median).toBeLessThan(2)
})
