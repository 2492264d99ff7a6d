import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'

/** 256 random bits as text for links, cookies and headers. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** Hashes a secret for storage. Secrets are random, so a plain hash can't be reversed by guessing. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')

/** Encrypts text so that only the holder of `secret` can decrypt it. */
export function seal(text: string, secret: string): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(secret), iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body])
}

/** Decrypts the output of `seal`. Throws when the secret is wrong or the bytes were changed. */
export function unseal(sealed: Buffer, secret: string): string {
  const decipher = createDecipheriv('aes-256-gcm', keyFrom(secret), sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(12, 28))
  return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8')
}

const keyFrom = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, '', 'cleartick sealed child', 32))
