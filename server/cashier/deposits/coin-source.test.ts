import { pbkdf2Sync } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { expect, test } from 'vitest'
import { deriveAddress, readCoinSource } from './coin-source.ts'

// The seed of the mnemonic that BIP84 uses for its test vectors.
const MNEMONIC = `${'abandon '.repeat(11)}about`
const seedOf = (words: string) => pbkdf2Sync(words, 'mnemonic', 2048, 64, 'sha512')
const ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const account = (words: string, path: string, versions?: { public: number; private: number }) => {
  const key = HDKey.fromMasterSeed(seedOf(words), versions).derive(path)
  return { public: key.publicExtendedKey, private: key.privateExtendedKey }
}
const YPUB_VERSIONS = { public: 0x049d7cb2, private: 0x049d7878 }
const ZPUB_VERSIONS = { public: 0x04b24746, private: 0x04b2430c }

test('BIP84: the published account key makes the published addresses', () => {
  expect(account(MNEMONIC, "m/84'/0'/0'", ZPUB_VERSIONS).public).toBe(ZPUB)
  expect(deriveAddress('BTC', ZPUB, 0n)).toBe('bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')
  expect(deriveAddress('BTC', ZPUB, 1n)).toBe('bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g')
})

test('BIP44 and BIP49: the addresses that every wallet shows for this mnemonic', () => {
  expect(deriveAddress('BTC', account(MNEMONIC, "m/44'/0'/0'").public, 0n)).toBe('1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA')
  const ypub = account(MNEMONIC, "m/49'/0'/0'", YPUB_VERSIONS).public
  expect(ypub).toMatch(/^ypub/)
  expect(deriveAddress('BTC', ypub, 0n)).toBe('37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf')
})

test('BIP44 for Ethereum: the well-known addresses of the test mnemonic', () => {
  const xpub = account(`${'test '.repeat(11)}junk`, "m/44'/60'/0'").public
  expect(deriveAddress('ETH', xpub, 0n)).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
  expect(deriveAddress('ETH', xpub, 1n)).toBe('0x70997970C51812dc3A010C7d01b50e0d17dc79C8')
})

test('accepts valid deposit addresses and keys', () => {
  expect(readCoinSource('BTC', ` ${ZPUB} `)).toEqual({ extendedKey: ZPUB })
  expect(readCoinSource('BTC', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')).toEqual({
    address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
  })
  const xpub = account(MNEMONIC, "m/44'/60'/0'").public
  expect(readCoinSource('ETH', xpub)).toEqual({ extendedKey: xpub })
})

const zprv = account(MNEMONIC, "m/84'/0'/0'", ZPUB_VERSIONS).private
test.each([
  ['an extended private key', 'BTC', zprv],
  ['the same for Ethereum', 'ETH', account(MNEMONIC, "m/44'/60'/0'").private],
  ['one that was mistyped', 'BTC', `${zprv.slice(0, -1)}1`],
  ['a key in wallet import format', 'BTC', 'L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1'],
  ['32 bytes of hex', 'ETH', `0x${'ac'.repeat(32)}`],
  ['32 bytes of hex without 0x', 'ETH', 'ac'.repeat(32)],
] as const)('rejects %s', (_what, coin, key) => {
  expect(() => readCoinSource(coin, key)).toThrow(/is a private key/)
})

test.each([
  ['BTC', `${ZPUB.slice(0, -1)}t`],
  ['BTC', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'],
  ['ETH', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu'],
  ['ETH', ZPUB],
  ['BTC', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
  ['BTC', ''],
  ['ETH', '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92267'],
] as const)('%s: rejects %s', (coin, text) => {
  expect(() => readCoinSource(coin, text)).toThrow(/must be|mistyped/)
})
