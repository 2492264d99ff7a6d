import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Files, filesKey, openFiles } from './index.ts'

let folder: string
let files: Files
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-files-'))
  files = openFiles({ folder: join(folder, 'files'), key: filesKey(folder, undefined) })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const stored = () =>
  readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

test('what is put is got again, lies encrypted and closed to others, and is gone when deleted', async () => {
  const bytes = Buffer.from('a passport number, many times over. '.repeat(50))
  const name = await files.put(bytes)
  expect(name).toMatch(/^[0-9a-f]{40}$/)
  expect(await files.get(name)).toEqual(bytes)
  const [path] = stored()
  expect(readFileSync(path!).includes('passport')).toBe(false)
  expect(statSync(path!).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'files.key')).mode & 0o777).toBe(0o600)
  await files.delete(name)
  await files.delete(name)
  expect(await files.get(name)).toBeUndefined()
  expect(stored()).toEqual([])
})

test('names that are not ours lead nowhere', async () => {
  writeFileSync(join(folder, 'secret'), 'secret')
  for (const name of ['../secret', '..%2fsecret', '/etc/passwd', '', 'a\0b', '../../files.key', 'f'.repeat(40)]) {
    expect(await files.get(name)).toBeUndefined()
    await files.delete(name)
  }
  expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('secret')
})

test('changed bytes, another name or another key are noticed', async () => {
  const first = await files.put(randomBytes(100))
  const [path] = stored()
  const whole = readFileSync(path!)
  const other = openFiles({ folder: join(folder, 'files'), key: randomBytes(32) })
  await expect(other.get(first)).rejects.toThrow()
  const second = await files.put(randomBytes(100))
  renameSync(path!, stored().find((candidate) => candidate.endsWith(second))!)
  await expect(files.get(second)).rejects.toThrow()
  whole[whole.length - 1]! ^= 1
  writeFileSync(path!, whole)
  await expect(files.get(first)).rejects.toThrow()
})

test('the key stays the same from start to start, and the operator may bring his own', () => {
  expect(filesKey(folder, undefined)).toEqual(filesKey(folder, undefined))
  const own = randomBytes(32)
  expect(filesKey(folder, own.toString('hex'))).toEqual(own)
  expect(filesKey(folder, own.toString('base64'))).toEqual(own)
  expect(filesKey(folder, own.toString('base64url'))).toEqual(own)
})
