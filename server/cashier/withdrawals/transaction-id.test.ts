import { expect, test } from 'vitest'
import { transactionIdOf } from './transaction-id.ts'

const HEX = '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b'

test('accepts the id of a transaction that fits the coin, and gives each one spelling', () => {
  expect(transactionIdOf('BTC', HEX)).toBe(HEX)
  expect(transactionIdOf('BTC', HEX.toUpperCase())).toBe(HEX)
  expect(transactionIdOf('ETH', `0x${HEX}`)).toBe(`0x${HEX}`)
  expect(transactionIdOf('ETH', `0X${HEX.toUpperCase()}`)).toBe(`0x${HEX}`)
})

test.each([
  ['BTC', `0x${HEX}`],
  ['BTC', HEX.slice(1)],
  ['BTC', `${HEX}0`],
  ['BTC', `${HEX.slice(1)}g`],
  ['BTC', `${HEX}\n`],
  ['BTC', `https://chain.example/tx/${HEX}`],
  ['BTC', 'wire 42'],
  ['ETH', HEX],
  ['ETH', `0x${HEX.slice(1)}`],
  ['ETH', `0x${HEX}0`],
  ['ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
] as const)('rejects for %s: %s', (coin, id) => {
  expect(() => transactionIdOf(coin, id)).toThrow(
    expect.objectContaining({ code: 'validation_failed', errors: [expect.objectContaining({ field: 'reference' })] }),
  )
})
