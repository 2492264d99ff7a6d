import { expect, test } from 'vitest'
import { bankAlert, bankRules, walletRules } from './rules.ts'

const messages = (parsed: { error?: { issues: readonly { path: PropertyKey[]; message: string }[] } }) =>
  Object.fromEntries((parsed.error?.issues ?? []).map((issue) => [issue.path.join('.'), issue.message]))

test('rejects an amount above the balance with the specified message', () => {
  const rules = walletRules(250.5)
  expect(messages(rules.safeParse({ amount: '250.51', wallet: 'bc1q' }))).toEqual({
    amount: 'Cannot withraw more than available balance',
  })
  expect(rules.safeParse({ amount: '250.50', wallet: 'bc1q' }).success).toBe(true)
})

test('requires an amount of at least one dollar with at most two decimals', () => {
  const rules = walletRules(1000)
  const amount = (typed: string) => messages(rules.safeParse({ amount: typed, wallet: 'bc1q' })).amount
  expect(amount('0.99')).toBe('must be at least 1')
  expect(amount('1.2345')).toBe('must be an amount with at most two decimals')
  expect(amount('1.234')).toBe('can mean thousands or decimals. Write 1234 or 1,234.00')
  expect(amount('')).toBe('must not be empty')
  expect(messages(rules.safeParse({ amount: '1', wallet: ' ' }))).toEqual({ wallet: 'must not be empty' })
})

test('sends the amount that was meant, written with a comma or a point', () => {
  const sent = (typed: string) => Number(walletRules(2000).safeParse({ amount: typed, wallet: 'bc1q' }).data?.amount)
  expect([sent('12,50'), sent('12.5'), sent('1.500,00'), sent('1,500.00')]).toEqual([12.5, 12.5, 1500, 1500])
})

test('requires all bank fields', () => {
  const empty = { bank_name: '', type: '', account_number: '', routing_number: '', amount: '' }
  expect(Object.keys(messages(bankRules(10).safeParse(empty)))).toEqual(Object.keys(empty))
})

test('a wrong account number marks its own field', () => {
  const rules = bankRules(100)
  const full = {
    bank_name: 'B',
    type: 'Checking',
    account_number: '0001 2345',
    routing_number: '021000021',
    amount: '10',
  }
  expect(rules.safeParse(full).success).toBe(true)
  for (const account_number of ['12', '12/34', 'ab cd  ef', '１２３４５'])
    expect(messages(rules.safeParse({ ...full, account_number }))).toEqual({ account_number: 'is invalid' })
})

test("the bank form's alert follows its errors", () => {
  expect(bankAlert({})).toBeUndefined()
  expect(bankAlert({ amount: { message: 'Cannot withraw more than available balance' } })).toBe(
    'Cannot withraw more than available balance',
  )
  expect(
    bankAlert({
      amount: { message: 'Cannot withraw more than available balance' },
      account_number: { message: 'is invalid' },
    }),
  ).toBe('Please input all fields correctly!')
})
