import { createECDH, hkdfSync } from 'node:crypto'
import { keyFromText } from '../platform/files/index.ts'

/** The key pair by which push services know this installation (VAPID, RFC 8292): P-256, as base64url. */
export interface PushKey {
  publicKey: string
  privateKey: string
}

/**
 * Returns the given key, else one derived from the installation's key, which all nodes have. Browsers that subscribed with
 * another key subscribe again when the app is next opened.
 */
export function pushKey(installationKey: Buffer, given: string | undefined): PushKey {
  if (given !== undefined) return pairOf(keyFromText(given))
  for (let attempt = 0; ; attempt++) {
    const derived = Buffer.from(
      hkdfSync('sha256', installationKey, Buffer.alloc(0), `cleartick web push ${attempt}`, 32),
    )
    try {
      return pairOf(derived)
    } catch {
      // One of 2^32 numbers is no private key of the curve.
    }
  }
}

function pairOf(privateKey: Buffer): PushKey {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(privateKey)
  return { publicKey: pair.getPublicKey('base64url'), privateKey: privateKey.toString('base64url') }
}
