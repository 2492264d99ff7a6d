import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Keeps small secrets at rest (bank numbers, authenticator secrets): AES-256-GCM under a key of their purpose. */
export interface Seal {
  /** `about` names what the secret belongs to; it opens under the same name only. */
  seal(text: string, about: string): Buffer
  /** Throws where the bytes were changed or belong to something else. */
  open(sealed: Buffer, about: string): string
}

const IV_BYTES = 12
const TAG_BYTES = 16

/** `key`: the installation's (the one of its files); each purpose gets a key of its own from it. */
export function openSeal(key: Buffer, purpose: string): Seal {
  const own = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `cleartick ${purpose}`, 32))
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
  }
}
