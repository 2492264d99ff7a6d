import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bucketServer, signatureOf } from '#tests/support/outside/bucket.ts'
import { smallDisk } from '#tests/support/servers/small-disk.ts'
import { diskStorage, type FileStorage, type Files, filesKey, openFiles, s3Storage } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-files-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const below = (place: string) =>
  !existsSync(place)
    ? []
    : readdirSync(place, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))

/** A storage backend with its stored files: the paths of the bytes on disk. */
interface Place {
  storage: FileStorage
  stored(): string[]
  close(): Promise<void>
}

const places: [string, () => Promise<Place>][] = [
  [
    'a folder',
    async () => {
      const place = join(folder, 'files')
      return { storage: diskStorage(place), stored: () => below(place), close: async () => undefined }
    },
  ],
  [
    'a bucket',
    async () => {
      const server = await bucketServer(join(folder, 'bucket'))
      return {
        storage: await s3Storage(server.url.replace('/cleartick', '/cleartick/some/prefix')),
        stored: () => below(join(folder, 'bucket')),
        close: server.close,
      }
    },
  ],
]

describe.each(places)('in %s', (_name, open) => {
  let place: Place
  let files: Files
  beforeEach(async () => {
    place = await open()
    files = openFiles({ storage: place.storage, key: filesKey(folder, undefined) })
  })
  afterEach(() => place.close())

  test('stores files encrypted, reads them back and deletes them', async () => {
    const bytes = Buffer.from('a passport number, many times over. '.repeat(50))
    const name = await files.put(bytes)
    expect(name).toMatch(/^[0-9a-f]{40}$/)
    expect(await files.get(name)).toEqual(bytes)
    expect(place.stored()).toHaveLength(1)
    expect(readFileSync(place.stored()[0]!).includes('passport')).toBe(false)
    await files.delete(name)
    await files.delete(name)
    expect(await files.get(name)).toBeUndefined()
    expect(place.stored()).toEqual([])
  })

  test('returns a 5 MB file and many parallel files unchanged', async () => {
    const large = randomBytes(5_242_880)
    const name = await files.put(large)
    expect((await files.get(name))?.equals(large)).toBe(true)
    const many = await Promise.all(Array.from({ length: 30 }, (_, n) => files.put(Buffer.from(`number ${n}`))))
    const read = await Promise.all(many.map((one) => files.get(one)))
    expect(read.map(String)).toEqual(many.map((_, n) => `number ${n}`))
    expect((await place.storage.list()).sort()).toEqual([name, ...many].sort())
  })

  test('rejects unknown file names', async () => {
    writeFileSync(join(folder, 'secret'), 'secret')
    for (const name of ['../secret', '..%2fsecret', '/etc/passwd', '', 'a\0b', '../../files.key', 'f'.repeat(40)]) {
      expect(await files.get(name)).toBeUndefined()
      await files.delete(name)
    }
    expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('secret')
  })

  test('detects changed bytes, another name or another key', async () => {
    const first = await files.put(randomBytes(100))
    const [path] = place.stored()
    const whole = readFileSync(path!)
    const other = openFiles({ storage: place.storage, key: randomBytes(32) })
    await expect(other.get(first)).rejects.toThrow()
    const second = await files.put(randomBytes(100))
    const stored = await place.storage.read(first)
    await place.storage.write(second, stored!)
    await expect(files.get(second)).rejects.toThrow()
    whole[whole.length - 1]! ^= 1
    await place.storage.write(first, whole)
    await expect(files.get(first)).rejects.toThrow()
  })
})

test('the folder is private, and a file swapped on disk is detected', async () => {
  const files = openFiles({ storage: diskStorage(join(folder, 'files')), key: filesKey(folder, undefined) })
  await files.put(randomBytes(100))
  const [path] = below(join(folder, 'files'))
  expect(statSync(path!).mode & 0o777).toBe(0o600)
  expect(statSync(join(folder, 'files')).mode & 0o777).toBe(0o700)
  expect(statSync(join(folder, 'files.key')).mode & 0o777).toBe(0o600)
  const second = await files.put(randomBytes(100))
  renameSync(path!, below(join(folder, 'files')).find((candidate) => candidate.endsWith(second))!)
  await expect(files.get(second)).rejects.toThrow()
})

test('returns 503 without leaking secrets while the bucket is down, and recovers', async () => {
  const place = join(folder, 'bucket')
  const first = await bucketServer(place)
  const files = openFiles({ storage: await s3Storage(first.url), key: filesKey(folder, undefined) })
  const name = await files.put(Buffer.from('kept'))
  for (const forged of [...first.forged, first.url.replace('eu-central', 'us-east')]) {
    const stranger = openFiles({ storage: await s3Storage(forged), key: filesKey(folder, undefined) })
    await expect(stranger.put(Buffer.from('x'))).rejects.toMatchObject({ code: 'unavailable' })
    await expect(stranger.get(name)).rejects.toMatchObject({ code: 'unavailable' })
  }
  expect(below(place)).toHaveLength(1)
  await first.close()
  for (const work of [() => files.get(name), () => files.put(Buffer.from('x')), () => files.delete(name)]) {
    await expect(work()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.not.stringContaining('127.0.0.1'),
    })
  }
  const again = await bucketServer(place, first.port)
  expect(String(await files.get(name))).toBe('kept')
  await again.close()
})

const PUBLISHED: { method: string; path: string; sent: Record<string, string>; signature: string }[] = [
  {
    method: 'GET',
    path: '/test.txt',
    sent: {
      range: 'bytes=0-9',
      'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    method: 'PUT',
    path: '/test%24file.text',
    sent: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
]

test.each(PUBLISHED)("the bucket of these tests signs as in Amazon's published example of $method", (example) => {
  const headers = {
    ...example.sent,
    host: 'examplebucket.s3.amazonaws.com',
    'x-amz-date': '20130524T000000Z',
  }
  const signature = signatureOf({
    method: example.method,
    path: example.path,
    headers,
    signed: Object.keys(headers).sort(),
    scope: '20130524/us-east-1/s3/aws4_request',
    secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  })
  expect(signature).toBe(example.signature)
})

test("keeps its key across restarts, or uses the operator's", () => {
  expect(filesKey(folder, undefined)).toEqual(filesKey(folder, undefined))
  const own = randomBytes(32)
  expect(filesKey(folder, own.toString('hex'))).toEqual(own)
  expect(filesKey(folder, own.toString('base64'))).toEqual(own)
  expect(filesKey(folder, own.toString('base64url'))).toEqual(own)
})

test('stores nothing on a full disk, reports it and recovers', async (context) => {
  const disk = smallDisk(context, 2)
  const place = join(disk.folder, 'files')
  const files = openFiles({ storage: diskStorage(place), key: randomBytes(32) })
  const picture = randomBytes(500_000)
  const kept = await files.put(picture)
  disk.fill()
  await expect(files.put(picture)).rejects.toMatchObject({
    code: 'unavailable',
    httpStatus: 503,
    cause: { code: 'ENOSPC' },
  })
  expect(below(place)).toHaveLength(1)
  expect(await files.get(kept)).toEqual(picture)
  disk.free()
  expect(await files.get(await files.put(picture))).toEqual(picture)
})
