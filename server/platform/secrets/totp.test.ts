import { expect, test } from 'vitest'
import { totpCode } from '#tests/support/totp-code.ts'
import { newTotpSecret, otpauthUrl, totpStep } from './totp.ts'

// RFC 6238, appendix B, SHA-1, truncated to six digits; the secret is the ASCII text 12345678901234567890.
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
])('matches the published code of second %i', (seconds, code) => {
  expect(totpCode(SECRET, seconds * 1000)).toBe(code)
  expect(totpStep(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
})

test('accepts a code one period early or late, but not two', () => {
  const now = 1_700_000_010_000
  const code = totpCode(SECRET, now)
  const step = Math.floor(now / 30_000)
  for (const shift of [-30_000, 0, 30_000]) expect(totpStep(SECRET, code, now + shift)).toBe(step)
  for (const shift of [-60_000, 60_000]) expect(totpStep(SECRET, code, now + shift)).toBeUndefined()
})

test('rejects malformed codes, and generates different secrets', () => {
  for (const text of ['', '12345', '1234567', '१२३४५६', 'abcdef'])
    expect(totpStep(SECRET, text, Date.now())).toBeUndefined()
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
  expect(newTotpSecret()).not.toBe(newTotpSecret())
  expect(otpauthUrl(SECRET, 'Cleartick', 'ada@example.org')).toMatch(
    /^otpauth:\/\/totp\/Cleartick:ada%40example\.org\?.*secret=GEZDG/,
  )
})

test('a code may be typed with spaces, and nothing may surround it', () => {
  const code = totpCode(SECRET, 59_000)
  expect(totpStep(SECRET, ` ${code.slice(0, 3)} ${code.slice(3)}`, 59_000)).toBe(1)
  for (const text of [`1${code}`, `${code}1`, `x${code}`, `${code}x`])
    expect(totpStep(SECRET, text, 59_000)).toBeUndefined()
})

test('a new secret has 160 bits', () => {
  expect(newTotpSecret()).toMatch(/^[A-Z2-7]{32}$/)
})
