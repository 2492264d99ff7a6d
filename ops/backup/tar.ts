import { assert } from '#kernel/assert.ts'

const BLOCK = 512

/** A file or folder of a tar archive, as PostgreSQL and `tarHeader` write them. */
interface TarEntry {
  name: string
  bytes: number
  isFolder: boolean
}

interface TarReader {
  entry(entry: TarEntry): void
  data(bytes: Buffer): void
  /** The entry's last byte was read. */
  end(): void
}

/** Reads an archive that arrives in pieces. Rejects names that lead out of the folder it's unpacked into. */
export function readTar(reader: TarReader): { write(bytes: Buffer): void; finish(): void } {
  let header = Buffer.alloc(0)
  let left = 0
  let padding = 0
  let isOpen = false

  const close = () => {
    isOpen = false
    reader.end()
  }

  return {
    write(bytes) {
      let at = 0
      while (at < bytes.length) {
        if (left > 0) {
          const piece = bytes.subarray(at, at + left)
          reader.data(piece)
          left -= piece.length
          at += piece.length
          if (left === 0) close()
        } else if (padding > 0) {
          const skipped = Math.min(padding, bytes.length - at)
          padding -= skipped
          at += skipped
        } else {
          const piece = bytes.subarray(at, at + BLOCK - header.length)
          header = Buffer.concat([header, piece])
          at += piece.length
          if (header.length < BLOCK) return
          const entry = parseHeader(header)
          header = Buffer.alloc(0)
          if (entry) {
            reader.entry(entry)
            left = entry.bytes
            padding = (BLOCK - (entry.bytes % BLOCK)) % BLOCK
            isOpen = true
            if (left === 0) close()
          }
        }
      }
    },
    finish() {
      assert(!isOpen && header.length === 0, 'the archive ends in the middle of a file')
    },
  }
}

/** Returns undefined for an empty block, which ends an archive. */
function parseHeader(block: Buffer): TarEntry | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  const text = (from: number, length: number) => {
    const field = block.subarray(from, from + length)
    const end = field.indexOf(0)
    return field.subarray(0, end < 0 ? length : end).toString('utf8')
  }
  const stored = Number.parseInt(text(148, 8), 8)
  assert(stored === checksum(block), 'a header of the archive is damaged')
  const prefix = text(345, 155)
  const name = `${prefix === '' ? '' : `${prefix}/`}${text(0, 100)}`.replace(/^\.\//, '').replace(/\/$/, '')
  const kind = text(156, 1)
  assert(['0', '', '5'].includes(kind), `${name} is neither a file nor a folder`)
  assert(!name.startsWith('/') && !name.split('/').includes('..'), `${name} leads out of the folder`)
  return { name, bytes: kind === '5' ? 0 : Number.parseInt(text(124, 12), 8), isFolder: kind === '5' }
}

/** The sum of a header's bytes, with blanks in place of the sum itself. */
function checksum(block: Buffer): number {
  let sum = 8 * 32
  for (const [at, byte] of block.entries()) if (at < 148 || at >= 156) sum += byte
  return sum
}

/** Returns a file's header; its content and `tarPadding` follow. */
export function tarHeader(name: string, bytes: number): Buffer {
  assert(Buffer.byteLength(name) < 100, 'the name is too long')
  const block = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at)
  block.write(name, 0)
  octal(0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(bytes, 124, 12)
  octal(0, 136, 12)
  block.write('0', 156)
  block.write('ustar\x0000', 257)
  octal(checksum(block), 148, 7)
  block.write(' ', 155)
  return block
}

export const tarPadding = (bytes: number): Buffer => Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK)
