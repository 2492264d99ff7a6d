import { expect, onTestFinished, test } from 'vitest'
import { deriveAddress } from '#server/cashier/index.ts'
import { startWholeApp } from '#tests/support/servers/app.ts'

// The account key that BIP84 publishes, and the private key that belongs to it.
const ZPUB =
  'zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs'
const ZPRV =
  'zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm1yYNZKEm7z6qUWCroSQnE'

test('each trader gets their own stable address from the extended public key', async () => {
  const app = await startWholeApp({ DEPOSIT_BTC: ZPUB, DEPOSIT_ETH: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266' })
  onTestFinished(() => app.stop())
  const [ada, eve] = await Promise.all([app.confirmedTrader(), app.confirmedTrader()])
  const addressOf = async (token: string, currency: string) =>
    (await app.send('GET', `/api/deposit/wallet-address?currency=${currency}`, { token })).json
  for (const who of [ada, eve]) {
    const address = deriveAddress('BTC', ZPUB, BigInt(who.id))
    expect(await addressOf(who.token, 'BTC')).toEqual({ status: true, data: address })
    expect(await addressOf(who.token, 'btc')).toEqual({ status: true, data: address })
  }
  expect((await addressOf(ada.token, 'BTC'))?.data).not.toBe((await addressOf(eve.token, 'BTC'))?.data)
  expect((await addressOf(ada.token, 'eth'))?.data).toBe('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
})

test.each([
  ['DEPOSIT_BTC', ZPRV],
  ['DEPOSIT_ETH', `0x${'ac'.repeat(32)}`],
])('refuses to start with a private key in %s, without printing it', async (name, key) => {
  const start = startWholeApp({ [name]: key })
  await expect(start).rejects.toThrow(`${name} is a private key`)
  await expect(start).rejects.not.toThrow(key)
})
