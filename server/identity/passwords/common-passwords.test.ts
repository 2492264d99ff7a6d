import { expect, test } from 'vitest'
import { rejectCommonPassword } from './common-passwords.ts'

const WORDS = ['Cleartick', 'ada.byron@example.org']
const verdict = (password: string) =>
  rejectCommonPassword(password, WORDS).then(
    () => 'accepted',
    ({ code, errors }: { code: string; errors: { field: string; message: string }[] }) =>
      `${code} ${errors[0]!.field} ${errors[0]!.message}`,
  )

test.each(['123456', 'password', 'Password1', 'QWERTYUIOP', 'trustno1', ' iloveyou ', 'letmein'])(
  'rejects the common password %j',
  async (password) => {
    expect(await verdict(password)).toBe(
      'validation_failed password is one of the most common passwords. Choose another.',
    )
  },
)

test.each(['cleartick', 'Cleartick1!', '2026Cleartick', 'ada.byron', 'Ada.Byron99', 'ada.byron@example.org'])(
  'rejects %j, which holds nothing but a word that an attacker tries first',
  async (password) => {
    expect(await verdict(password)).toBe('validation_failed password is too easy to guess. Choose another.')
  },
)

test.each(['analytical engine', 'cleartick and tea', 'ada.byron12345', '１２３ ４５６ oceans', 'Zürich 1'])(
  'accepts %j',
  async (password) => {
    expect(await verdict(password)).toBe('accepted')
  },
)

test('composed digits of another keyboard are the same password', async () => {
  expect(await verdict('１２３４５６')).toContain('most common')
})
