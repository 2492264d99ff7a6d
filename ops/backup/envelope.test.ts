import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { openEnvelope } from './envelope.ts'

const key = randomBytes(32)
const sealed = openEnvelope(key, 'one').seal('part', Buffer.from('the ledger'))

test('opens what it sealed, and nothing else', () => {
  expect(String(openEnvelope(key, 'one').open('part', sealed))).toBe('the ledger')
  expect(sealed.includes('ledger')).toBe(false)
  expect(() => openEnvelope(key, 'one').open('another', sealed)).toThrow(/its bytes were changed/)
  expect(() => openEnvelope(key, 'other').open('part', sealed)).toThrow(/its bytes were changed/)
  expect(() => openEnvelope(randomBytes(32), 'one').open('part', sealed)).toThrow(/another key than BACKUP_KEY/)
})

test('finds every flipped bit and every other length', () => {
  const { open } = openEnvelope(key, 'one')
  for (let bit = 0; bit < 8 * sealed.length; bit++) {
    const flipped = Buffer.from(sealed)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    expect(() => open('part', flipped), `bit ${bit}`).toThrow(/can't be used/)
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => open('part', sealed.subarray(0, length))).toThrow(/can't be used/)
  }
  expect(() => open('part', Buffer.concat([sealed, Buffer.alloc(1)]))).toThrow(/can't be used/)
})
