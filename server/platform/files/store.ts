import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '#contract/problem.ts'
import { keepFile } from '../process/durable-file.ts'
import { StartProblem } from '../process/start-problem.ts'
import { withFirstKey } from '../secrets/seal.ts'

/** Storage for private files. Names are random and ours, never the client's file name. */
export interface Files {
  /** Stores the bytes durably and returns their name. */
  put(bytes: Buffer): Promise<string>
  /** Returns the bytes of a name; undefined if there are none. Throws if the stored bytes were changed. */
  get(uncheckedName: string): Promise<Buffer | undefined>
  /** Deletes a file; a missing file is not an error. */
  delete(uncheckedName: string): Promise<void>
  /**
   * Returns whether the installation's key opens a file, or only one of the others; undefined if there is no file. With
   * `rewrite`, encrypts it with the installation's key then. Throws if no key opens it.
   */
  rekey(name: string, options: { rewrite: boolean }): Promise<'current' | 'other' | undefined>
}

const NAME = /^[0-9a-f]{40}$/
export const isFileName = (name: string): boolean => NAME.test(name)
/** First bytes of every stored file, to distinguish it from later formats. */
const FORMAT = Buffer.from('CTF1')
const IV_BYTES = 12
const TAG_BYTES = 16

/** Stores bytes under a name: a folder or a bucket. Knows nothing about their content. */
export interface FileStorage {
  /** Durable once it resolves; there is never a partial file. */
  write(name: string, bytes: Buffer): Promise<void>
  read(name: string): Promise<Buffer | undefined>
  remove(name: string): Promise<void>
  /** The names of all stored files. */
  list(): Promise<string[]>
}

/** The storage is unreachable or full: nothing was stored. `cause` is for the operator's log. */
export function storageDown(cause?: unknown): Problem {
  const problem = new Problem('unavailable', 'File storage is unavailable. Try again in a moment.', {
    retryAfterSeconds: 5,
  })
  problem.cause = cause
  return problem
}

/**
 * Encrypts each file with AES-256-GCM and binds it to its name, so that two files can't be swapped in storage
 * unnoticed. `others`: keys that open files too, and encrypt none.
 */
export function openFiles({
  storage,
  key,
  others = [],
}: {
  storage: FileStorage
  key: Buffer
  others?: readonly Buffer[]
}): Files {
  const keys = [key, ...others]
  const decryptWithAny = (stored: Buffer, name: string) =>
    withFirstKey(keys, `File ${name}`, (one) => ({ bytes: decrypt(stored, name, one), isCurrent: one === key }))
  return {
    async put(bytes) {
      const name = randomBytes(20).toString('hex')
      await storage.write(name, encrypt(bytes, name, key))
      return name
    },
    async get(uncheckedName) {
      if (!NAME.test(uncheckedName)) return undefined
      const stored = await storage.read(uncheckedName)
      return stored && decryptWithAny(stored, uncheckedName).bytes
    },
    async delete(uncheckedName) {
      if (NAME.test(uncheckedName)) await storage.remove(uncheckedName)
    },
    async rekey(name, { rewrite }) {
      const stored = await storage.read(name)
      if (stored === undefined) return undefined
      const { bytes, isCurrent } = decryptWithAny(stored, name)
      if (isCurrent) return 'current'
      if (rewrite) await storage.write(name, encrypt(bytes, name, key))
      return 'other'
    },
  }
}

/**
 * Returns the installation's key: the operator's, or one created on first use and kept below `dataDir`, readable only
 * by this user.
 */
export function filesKey(dataDir: string, setting: string | undefined): Buffer {
  if (setting !== undefined) return keyFromText(setting)
  return keyFromText(keepFile(join(dataDir, 'files.key'), () => `${randomBytes(32).toString('base64url')}\n`).trim())
}

/** The same where there must be one already: throws `StartProblem` instead of creating it. */
export function existingFilesKey(dataDir: string, setting: string | undefined): Buffer {
  const file = join(dataDir, 'files.key')
  if (setting !== undefined || existsSync(file)) return filesKey(dataDir, setting)
  throw new StartProblem(
    `${file} is missing, and private files and sealed secrets can't be read without it. Restore it from a backup, or set DATA_DIR or FILES_KEY as for the server.`,
  )
}

/** Parses 32 bytes, written as base64 or as 64 hex digits. */
export function keyFromText(text: string): Buffer {
  const key = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url')
  if (key.length !== 32) throw new Error('the key is not 32 bytes long')
  return key
}

function encrypt(bytes: Buffer, name: string, key: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name))
  const body = Buffer.concat([cipher.update(bytes), cipher.final()])
  return Buffer.concat([FORMAT, iv, cipher.getAuthTag(), body])
}

function decrypt(stored: Buffer, name: string, key: Buffer): Buffer {
  const start = FORMAT.length + IV_BYTES + TAG_BYTES
  if (stored.length < start || !stored.subarray(0, FORMAT.length).equals(FORMAT)) {
    throw new Error('a stored file cannot be read')
  }
  const iv = stored.subarray(FORMAT.length, FORMAT.length + IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(name))
    .setAuthTag(stored.subarray(FORMAT.length + IV_BYTES, start))
  return Buffer.concat([decipher.update(stored.subarray(start)), decipher.final()])
}
