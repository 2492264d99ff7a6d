import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts small secrets at rest (bank numbers, authenticator secrets): AES-256-GCM under a key per purpose. */
export interface Seal {
  /** `about` names what the secret belongs to; it decrypts only under the same name. */
  seal(text: string, about: string): Buffer
  /** Throws if the bytes were changed or belong to something else. */
  open(sealed: Buffer, about: string): string
  /** Returns 32 bytes that are equal for equal texts, and reveal nothing about the text without the key. */
  fingerprint(text: string): Buffer
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** `key`: the installation's key (also used for files); each purpose gets a separate key derived from it. */
export function openSeal(key: Buffer, purpose: string): Seal {
  const keyFor = (what: string) => Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `cleartick ${what}`, 32))
  const own = keyFor(purpose)
  const fingerprintKey = keyFor(`${purpose} print`)
  return {
    seal(text, about) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', own, iv).setAAD(Buffer.from(about))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body])
    },
    open(sealed, about) {
      const decipher = createDecipheriv('aes-256-gcm', own, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(about))
        .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest(),
  }
}
