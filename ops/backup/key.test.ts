import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backupKey, createKeyFile } from './key.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-key-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const read = (file: string, BACKUP_URL = '/nowhere') =>
  backupKey({ BACKUP_KEY: undefined, BACKUP_KEY_FILE: file, BACKUP_URL })

test('creates a key file that only this user can read, once', () => {
  const file = createKeyFile(join(folder, 'key'))
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const text = readFileSync(file, 'utf8')
  expect(read(file)).toEqual(Buffer.from(text, 'base64url'))
  expect(() => createKeyFile(file)).toThrow(/never overwritten/)
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test('rejects a missing key, one that others can read, one next to the backups, and one that is none', () => {
  const file = createKeyFile(join(folder, 'key'))
  expect(() => backupKey({ BACKUP_KEY: undefined, BACKUP_KEY_FILE: undefined, BACKUP_URL: folder })).toThrow(/new-key/)
  expect(() => read(join(folder, 'none'))).toThrow(/Can't read the backup key/)
  expect(() => read(file, folder)).toThrow(/inside of the folder of the backups/)
  chmodSync(file, 0o640)
  expect(() => read(file)).toThrow(/Run chmod 600/)
  chmodSync(file, 0o600)
  writeFileSync(file, 'not a key')
  expect(() => read(file)).toThrow(/holds no key/)
})
