import { expect, test } from 'vitest'
import { coinOf } from './wallet.ts'

test.each([
  ['a key hash', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', 'BTC'],
  ['a script hash', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', 'BTC'],
  ['a witness key hash', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4', 'BTC'],
  ['the same in capitals', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'BTC'],
  ['taproot', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'BTC'],
  ['Ethereum with its checksum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'ETH'],
  ['Ethereum in lower case', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed', 'ETH'],
])('accepts the address %s', (_, wallet, coin) => {
  expect(coinOf(wallet)).toBe(coin)
})

test.each([
  ['one character changed', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb'],
  ['one character changed, bech32', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
  ['two cases in bech32', 'bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
  ['the test network', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['the test network, base58', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
  ['the regression network', 'bcrt1q6rhpng9evdsfnn833a4f4vej0asu6dk5srld6x'],
  ['taproot with the old checksum', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd'],
  ['a wrong checksum of Ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
  ['all capitals', '0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
  ['a capital X', '0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
  ['without 0x', '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
  ['one figure short', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae'],
  ['Litecoin', 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9'],
  ['blanks within', '1A1zP1eP5QGefi2DMPTfTL5SLmv7 DivfNa'],
  ['nothing', ''],
  ['words', 'my wallet'],
  ['full-width', '１A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
  ['markup', '<script>alert(1)</script>'],
  ['128 characters', 'b'.repeat(128)],
])('%s is none', (_, wallet) => {
  expect(coinOf(wallet)).toBeUndefined()
})
