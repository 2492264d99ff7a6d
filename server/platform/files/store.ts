import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where private files are. Names are ours: random, and never what a client called the file. */
export interface Files {
  /** Keeps the bytes durably and answers their name. */
  put(bytes: Buffer): Promise<string>
  /** The bytes of a name; undefined where there is none. Throws where the stored bytes were changed. */
  get(uncheckedName: string): Promise<Buffer | undefined>
  /** Destroys a file; one that is not there is no error. */
  delete(uncheckedName: string): Promise<void>
}

const NAME = /^[0-9a-f]{40}$/
/** Begins every stored file, so that a later format can be told from this one. */
const FORMAT = Buffer.from('CTF1')
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Files in a local folder, each encrypted with AES-256-GCM and bound to its name, so that two files cannot be swapped
 * behind our back. Written beside and renamed: there is never half a file.
 */
export function openFiles(options: { folder: string; key: Buffer }): Files {
  const { folder, key } = options
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const pathOf = (name: string) => join(folder, name.slice(0, 2), name)

  return {
    async put(bytes) {
      const name = randomBytes(20).toString('hex')
      const path = pathOf(name)
      await mkdir(join(folder, name.slice(0, 2)), { recursive: true, mode: 0o700 })
      const fresh = `${path}.new`
      try {
        await writeDurably(fresh, encrypt(bytes, name, key))
        await rename(fresh, path)
        await syncFolder(join(folder, name.slice(0, 2)))
      } catch (error) {
        await rm(fresh, { force: true })
        throw error
      }
      return name
    },
    async get(uncheckedName) {
      if (!NAME.test(uncheckedName)) return undefined
      try {
        return decrypt(await readFile(pathOf(uncheckedName)), uncheckedName, key)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },
    async delete(uncheckedName) {
      if (NAME.test(uncheckedName)) await rm(pathOf(uncheckedName), { force: true })
    },
  }
}

/** The key of the installation: the operator's, or one made on first use and kept below `dataDir`, readable by us alone. */
export function filesKey(dataDir: string, setting: string | undefined): Buffer {
  if (setting !== undefined) return keyFromText(setting)
  const file = join(dataDir, 'files.key')
  try {
    return keyFromText(readFileSync(file, 'utf8').trim())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = randomBytes(32)
  // Renamed into place: a start that is killed half-way leaves no half key.
  writeFileSync(`${file}.new`, `${key.toString('base64url')}\n`, { mode: 0o600, flush: true })
  renameSync(`${file}.new`, file)
  return key
}

function keyFromText(text: string): Buffer {
  const key = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url')
  if (key.length !== 32) throw new Error('the key of the files is not 32 bytes long')
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

async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; there the rename is as durable as it gets.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
