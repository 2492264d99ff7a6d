import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { StartProblem } from '#server/platform/process/start-problem.ts'

/**
 * Encrypts the objects of one backup: AES-256-GCM under a key derived for this backup. Each object is bound to its
 * backup and its name, so that a changed byte, a swapped object and an object of another backup are all found.
 */
export interface Envelope {
  seal(name: string, bytes: Buffer): Buffer
  /** Throws `StartProblem` if the object was changed, belongs elsewhere or was encrypted with another key. */
  open(name: string, sealed: Buffer): Buffer
}

/** First bytes of every object, to distinguish it from later formats. */
const FORMAT = Buffer.from('CTB1')
const KEY_ID_BYTES = 8
const IV_BYTES = 12
const TAG_BYTES = 16
const HEADER_BYTES = FORMAT.length + KEY_ID_BYTES + IV_BYTES + TAG_BYTES

/** `key`: the installation's backup key, 32 bytes. */
export function openEnvelope(key: Buffer, backupId: string): Envelope {
  const own = derive(key, `backup ${backupId}`, 32)
  const keyId = derive(key, 'backup key id', KEY_ID_BYTES)
  const bound = (name: string) => Buffer.concat([FORMAT, keyId, Buffer.from(`${backupId}/${name}`)])
  return {
    seal(name, bytes) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', own, iv).setAAD(bound(name))
      const body = Buffer.concat([cipher.update(bytes), cipher.final()])
      return Buffer.concat([FORMAT, keyId, iv, cipher.getAuthTag(), body])
    },
    open(name, sealed) {
      if (sealed.length < HEADER_BYTES) throw damaged(backupId, name, 'it was cut off')
      const format = sealed.subarray(0, FORMAT.length)
      if (!format.equals(FORMAT)) {
        throw damaged(backupId, name, `its format is unknown, or a newer version wrote it`)
      }
      const madeWith = sealed.subarray(FORMAT.length, FORMAT.length + KEY_ID_BYTES)
      if (!madeWith.equals(keyId)) {
        throw damaged(backupId, name, 'it was encrypted with another key than BACKUP_KEY or BACKUP_KEY_FILE')
      }
      const tagAt = HEADER_BYTES - TAG_BYTES
      const decipher = createDecipheriv('aes-256-gcm', own, sealed.subarray(tagAt - IV_BYTES, tagAt), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(bound(name))
        .setAuthTag(sealed.subarray(tagAt, HEADER_BYTES))
      const body = decipher.update(sealed.subarray(HEADER_BYTES))
      try {
        return Buffer.concat([body, decipher.final()])
      } catch {
        throw damaged(backupId, name, 'its bytes were changed')
      }
    },
  }
}

const derive = (key: Buffer, purpose: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), `cleartick ${purpose}`, bytes))

/** An object of a backup can't be used. */
export function damaged(backupId: string, name: string, why: string): StartProblem {
  return new StartProblem(`Backup ${backupId} can't be used: in ${name}, ${why}.`)
}
