import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { readTar, tarHeader, tarPadding } from './tar.ts'

function unpack(archive: Buffer, piece: number): [string, Buffer][] {
  const files: [string, Buffer][] = []
  const tar = readTar({
    entry: ({ name }) => files.push([name, Buffer.alloc(0)]),
    data(bytes) {
      files.at(-1)![1] = Buffer.concat([files.at(-1)![1], bytes])
    },
    end: () => undefined,
  })
  for (let at = 0; at < archive.length; at += piece) tar.write(archive.subarray(at, at + piece))
  tar.finish()
  return files
}

const pack = (files: [string, Buffer][]) =>
  Buffer.concat(files.flatMap(([name, bytes]) => [tarHeader(name, bytes.length), bytes, tarPadding(bytes.length)]))

test.each([1, 511, 512, 513, 100_000])('reads files back in pieces of %i bytes', (piece) => {
  const files = [0, 1, 511, 512, 513, 1300].map((length): [string, Buffer] => [`file-${length}`, randomBytes(length)])
  expect(unpack(Buffer.concat([pack(files), Buffer.alloc(1024)]), piece)).toEqual(files)
})

test('rejects damaged headers, names that lead out of the folder, and an archive that ends early', () => {
  const archive = pack([['file', Buffer.from('content')]])
  const damaged = Buffer.from(archive)
  damaged[0]! ^= 1
  expect(() => unpack(damaged, 512)).toThrow(/header of the archive is damaged/)
  expect(() => unpack(archive.subarray(0, 515), 512)).toThrow(/ends in the middle/)
  expect(() => unpack(archive.subarray(0, 100), 512)).toThrow(/ends in the middle/)
  for (const name of ['../out', '/etc/passwd', 'a/../../out']) {
    expect(() => unpack(pack([[name, Buffer.alloc(0)]]), 512)).toThrow(/leads out of the folder/)
  }
})
