import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { patcher } from './apply.ts'

const BLOCK = 8192
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cleartick-apply-'))
  path = join(folder, '16384')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** One character for each block: `.` is zero. */
const blocks = (letters: string) =>
  Buffer.concat([...letters].map((letter) => Buffer.alloc(BLOCK, letter === '.' ? 0 : letter)))
const lettersOf = (bytes: Buffer) =>
  Array.from({ length: bytes.length / BLOCK }, (_, at) => {
    const block = bytes.subarray(at * BLOCK, (at + 1) * BLOCK)
    expect(block.every((byte) => byte === block[0])).toBe(true)
    return block[0] === 0 ? '.' : String.fromCharCode(block[0]!)
  }).join('')

/** An incremental file as PostgreSQL writes it: these blocks, and the shortest length in between. */
function incremental(shortest: number, changed: Record<number, string>): Buffer {
  const numbers = Object.keys(changed).map(Number)
  const header = Buffer.alloc(numbers.length === 0 ? 12 : BLOCK)
  for (const [at, value] of [0xd3ae1f0d, numbers.length, shortest, ...numbers].entries()) {
    header.writeUInt32LE(value, 4 * at)
  }
  return Buffer.concat([header, blocks(Object.values(changed).join(''))])
}

function patched(before: string, file: Buffer, piece = 5_000): string {
  writeFileSync(path, blocks(before))
  const patch = patcher(path)
  for (let at = 0; at < file.length; at += piece) patch.write(file.subarray(at, at + piece))
  patch.close()
  return lettersOf(readFileSync(path))
}

test.each([
  ['nothing changed', 'abc', incremental(3, {}), 'abc'],
  ['blocks in any order', 'abcd', incremental(4, { 1: 'X', 3: 'Y' }), 'aXcY'],
  ['grown', 'ab', incremental(2, { 2: 'X', 3: 'Y' }), 'abXY'],
  ['cut off', 'abcd', incremental(2, {}), 'ab'],
  ['cut off and grown, the block between never written', 'abcd', incremental(1, { 3: 'X' }), 'a..X'],
  ['grown by blocks that were never written', 'ab', incremental(4, {}), 'ab..'],
  ['cut off to nothing', 'abcd', incremental(0, {}), ''],
])('%s', (_name, before, file, after) => {
  expect(patched(before, file)).toBe(after)
  expect(patched(before, file, 1_000_000)).toBe(after)
  expect(patched(before, file, 7)).toBe(after)
})

test('rejects a file of another format, and one that ends too early', () => {
  const file = incremental(3, { 1: 'X' })
  const wrong = Buffer.from(file)
  wrong[0]! ^= 1
  expect(() => patched('abc', wrong)).toThrow(/unknown format/)
  for (const length of [0, 11, 100, BLOCK, file.length - 1]) {
    expect(() => patched('abc', file.subarray(0, length)), `${length} bytes`).toThrow(/ends too early/)
  }
  expect(() => patched('abc', Buffer.concat([file, Buffer.alloc(10)]))).toThrow(/ends too early/)
})
