import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts small secrets at rest (bank numbers, authenticator secrets): AES-256-GCM under a key per purpose. */
export interface Seal {
  /** `about` names what the secret belongs to; it decrypts only under the same name. */
  seal(text: string, about: string): Buffer
  /** Throws if the bytes were changed, belong to something else, or were sealed with a key that is missing. */
  open(sealed: Buffer, about: string): string
  /** Returns whether the installation's key opens a value, not only one of the others. */
  isCurrent(sealed: Buffer, about: string): boolean
  /** Returns 32 bytes that are equal for equal texts, and reveal nothing about the text without the key. */
  fingerprint(text: string): Buffer
}

const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * `key`: the installation's key (also used for files); each purpose gets a separate key derived from it. `others` open
 * values too, and seal none: the tag of a value says whether a key fits.
 */
export function openSeal(key: Buffer, purpose: string, others: readonly Buffer[] = []): Seal {
  const keyFor = (root: Buffer, what: string) =>
    Buffer.from(hkdfSync('sha256', root, Buffer.alloc(0), `cleartick ${what}`, 32))
  const own = keyFor(key, purpose)
  const fingerprintKey = keyFor(key, `${purpose} print`)
  const all = [own, ...others.map((other) => keyFor(other, purpose))]
  return {
    seal(text, about) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', own, iv).setAAD(Buffer.from(about))
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body])
    },
    open: (sealed, about) => withFirstKey(all, 'A sealed value', (one) => decrypt(one, sealed, about)),
    isCurrent(sealed, about) {
      try {
        decrypt(own, sealed, about)
        return true
      } catch {
        return false
      }
    },
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest(),
  }
}

function decrypt(key: Buffer, sealed: Buffer, about: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(about))
    .setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

/** No key opens what is stored: it was changed, or its key is missing. */
export class Undecipherable extends Error {}

/** Tries each key in turn. Throws `Undecipherable` if none fits. */
export function withFirstKey<T>(keys: readonly Buffer[], what: string, work: (key: Buffer) => T): T {
  let reason: unknown
  for (const key of keys) {
    try {
      return work(key)
    } catch (error) {
      reason ??= error
    }
  }
  throw new Undecipherable(
    `${what} can't be decrypted: it was changed, or its key is neither FILES_KEY nor in FILES_KEY_OTHERS (${(reason as Error).message})`,
    { cause: reason },
  )
}
