import { expect, test } from 'vitest'
import { paymentText } from './coins.ts'

test('the Bitcoin QR code contains the amount, the Ethereum one only the address', () => {
  expect(paymentText('BTC', 'bc1qx', 0.00161837)).toBe('bitcoin:bc1qx?amount=0.00161837')
  expect(paymentText('ETH', '0xAb', 0.5)).toBe('0xAb')
})
