import { expect, test } from 'vitest'
import { paymentText, walletLink } from './coins.ts'

test('the Bitcoin QR code contains the amount, the Ethereum one only the address', () => {
  expect(paymentText('BTC', 'bc1qx', 0.00161837)).toBe('bitcoin:bc1qx?amount=0.00161837')
  expect(paymentText('ETH', '0xAb', 0.5)).toBe('0xAb')
})

test('the link to a wallet app has address and amount', () => {
  expect(walletLink('BTC', 'bc1qx', 0.00161837)).toBe('bitcoin:bc1qx?amount=0.00161837')
  expect(walletLink('ETH', '0xAb', 0.00000015)).toBe('ethereum:0xAb@1?value=0.00000015e18')
})
