import { expect, test } from 'vitest'
import { typedPayments } from './typed-payments.ts'

const unpaid = ['A', 'B', 'C']

test('reads one transaction for all withdrawals', () => {
  expect(typedPayments(' f00 \n', unpaid)).toEqual([{ withdrawals: ['A', 'B', 'C'], transaction_id: 'f00' }])
})

test('reads a line for each withdrawal, as wallets and spreadsheets write them', () => {
  expect(typedPayments('A,f00\nB;f00\n\nC\tba5\r\n', unpaid)).toEqual([
    { withdrawals: ['A', 'B'], transaction_id: 'f00' },
    { withdrawals: ['C'], transaction_id: 'ba5' },
  ])
  expect(typedPayments('B f00', unpaid)).toEqual([{ withdrawals: ['B'], transaction_id: 'f00' }])
})

test.each([
  ['', 'Transaction ID is required.'],
  ['f00\nba5', '“f00” needs one reference and one transaction ID on its line.'],
  ['A f00 ba5', '“A” needs one reference and one transaction ID on its line.'],
  ['D f00', "D isn't an unpaid withdrawal of this batch."],
  ['A f00\nA ba5', 'A withdrawal has two transaction IDs.'],
])('says what it can not read in %j', (text, says) => {
  expect(typedPayments(text, unpaid)).toBe(says)
})
