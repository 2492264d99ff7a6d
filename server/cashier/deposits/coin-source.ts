import { ECDH } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import { p2pkh, p2sh, p2wpkh } from '@scure/btc-signer'
import * as EthereumAddress from 'ox/Address'
import * as PublicKey from 'ox/PublicKey'
import type { Coin } from '#contract/money/cashier.ts'
import { assert } from '#kernel/assert.ts'
import { coinOf } from '../withdrawals/wallet.ts'

/**
 * The deposit address that an operator configures: a single address, or an extended public key that derives one per
 * user.
 */
export type CoinSource = { address: string } | { extendedKey: string }

/** Version bytes of extended public keys, which also determine the address type (SLIP-132). */
const VERSIONS = {
  xpub: { public: 0x0488b21e, private: 0x0488ade4 },
  ypub: { public: 0x049d7cb2, private: 0x049d7878 },
  zpub: { public: 0x04b24746, private: 0x04b2430c },
} as const
type Kind = keyof typeof VERSIONS

const PRIVATE_EXTENDED = /^[xyzt]prv/i
/** A Bitcoin key in wallet import format, or 32 bytes in hex, the format of Ethereum's keys. */
const PRIVATE_SINGLE = /^([5KL][1-9A-HJ-NP-Za-km-z]{50,51}|(0x)?[0-9a-fA-F]{64})$/

/**
 * Parses a coin source from the settings. Throws with a message when it is invalid for the coin, and above all when it
 * is a private key: anyone who has that controls the coins, so this server must never see one.
 */
export function readCoinSource(coin: Coin, unchecked: string): CoinSource {
  const text = unchecked.trim()
  if (PRIVATE_EXTENDED.test(text) || PRIVATE_SINGLE.test(text)) {
    throw new Error('is a private key, which must never be given to this server. Move its coins to another wallet now.')
  }
  const kind = kindOf(text)
  if (kind && (coin === 'BTC' || kind === 'xpub')) {
    try {
      HDKey.fromExtendedKey(text, VERSIONS[kind])
    } catch {
      throw new Error('is an extended public key that was mistyped')
    }
    return { extendedKey: text }
  }
  if (coinOf(text) === coin) return { address: text }
  const what = coin === 'BTC' ? 'xpub, ypub or zpub' : 'xpub'
  throw new Error(`must be a ${coin} address of the main network, or an extended public key (${what})`)
}

/**
 * Derives a user's deposit address from an account's extended public key: receiving branch, the user's number as index.
 * zpub gives native segwit (BIP84), ypub wrapped segwit (BIP49), xpub legacy addresses or Ethereum (BIP44).
 */
export function deriveAddress(coin: Coin, extendedKey: string, userId: bigint): string {
  const kind = kindOf(extendedKey)
  assert(kind, 'what is kept as an extended key is one')
  assert(userId < 2n ** 31n, 'users are numbered below the first hardened index')
  const { publicKey } = HDKey.fromExtendedKey(extendedKey, VERSIONS[kind]).deriveChild(0).deriveChild(Number(userId))
  assert(publicKey, 'a public key derives a public key')
  if (coin === 'ETH') {
    const point = ECDH.convertKey(Buffer.from(publicKey), 'secp256k1', undefined, 'hex', 'uncompressed')
    return EthereumAddress.fromPublicKey(PublicKey.fromHex(`0x${point as string}`), { checksum: true })
  }
  const payment = kind === 'zpub' ? p2wpkh(publicKey) : kind === 'ypub' ? p2sh(p2wpkh(publicKey)) : p2pkh(publicKey)
  assert(payment.address, 'a payment to a key has an address')
  return payment.address
}

const kindOf = (text: string): Kind | undefined => {
  const kind = text.slice(0, 4)
  return Object.hasOwn(VERSIONS, kind) && text.length > 100 ? (kind as Kind) : undefined
}
