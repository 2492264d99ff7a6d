import { createHash, type Hash } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { wholeManifest } from './create.ts'
import { damaged } from './envelope.ts'
import type { Manifest } from './manifest.ts'
import { type Place, readParts } from './parts.ts'
import { readTar } from './tar.ts'

const INCREMENTAL = 'INCREMENTAL.'
const MAGIC = 0xd3ae1f0d
const BLOCK = 8192
/** Blocks in a file of 1 GiB, PostgreSQL's largest. */
const BLOCKS_MAX = 131_072

/**
 * Unpacks a backup of the database into a folder: a full one into an empty folder, an incremental one over what its
 * parent left there. Checks every file against PostgreSQL's own manifest. Throws `StartProblem` if anything differs.
 */
export async function applyBackup(place: Place, manifest: Manifest, folder: string): Promise<void> {
  const expected = checksumsOf(await wholeManifest(place, manifest))
  const seen = new Set<string>()
  let file: { write(bytes: Buffer): void; close(): void } | undefined
  let hash: Hash | undefined
  let path = ''

  const tar = readTar({
    entry({ name, isFolder }) {
      if (isFolder) {
        mkdirSync(join(folder, name), { recursive: true, mode: 0o700 })
        return
      }
      path = name
      hash = createHash('sha256')
      const real = join(dirname(name), basename(name).replace(INCREMENTAL, ''))
      const isIncremental = manifest.parent !== null && real !== name
      seen.add(real)
      mkdirSync(join(folder, dirname(name)), { recursive: true, mode: 0o700 })
      file = isIncremental ? patcher(join(folder, real)) : writer(join(folder, name))
    },
    data(bytes) {
      hash?.update(bytes)
      file?.write(bytes)
    },
    end() {
      file?.close()
      const known = expected.get(path)
      if (file && known !== undefined && known !== hash?.digest('hex')) {
        throw damaged(place.id, path, "the checksum differs from PostgreSQL's")
      }
      if (file) expected.delete(path)
      file = undefined
    },
  })
  for await (const piece of readParts(place, 'database', manifest.database.parts)) tar.write(piece)
  tar.finish()
  const [missing] = expected.keys()
  if (missing !== undefined) throw damaged(place.id, missing, 'the file is missing')
  if (manifest.parent !== null) removeUnseen(folder, seen)
  makeWhole(join(folder, 'backup_label'))
}

/** PostgreSQL's list of the files in a backup, with their SHA-256. */
function checksumsOf(manifest: Buffer): Map<string, string> {
  const { Files } = JSON.parse(manifest.toString('utf8')) as { Files: { Path?: string; Checksum: string }[] }
  return new Map(Files.flatMap(({ Path, Checksum }) => (Path === undefined ? [] : [[Path, Checksum]])))
}

function writer(path: string) {
  const file = openSync(path, 'w', 0o600)
  return { write: (bytes: Buffer) => writeAll(file, bytes), close: () => closeSync(file) }
}

/**
 * Changes a table's file by the blocks of an incremental one. That begins with a magic number, the number of blocks, the
 * length that the file was cut to at the shortest, and the numbers of the blocks, filled up to a whole block.
 */
export function patcher(path: string) {
  const file = openSync(path, 'r+')
  let header: Buffer = Buffer.alloc(0)
  let numbers: number[] | undefined
  let headerBytes = 0
  let block = 0
  let rest: Buffer = Buffer.alloc(0)

  function begin(): void {
    const [magic, count, shortest] = [0, 4, 8].map((at) => header.readUInt32LE(at)) as [number, number, number]
    if (magic !== MAGIC || count > BLOCKS_MAX || shortest > BLOCKS_MAX) {
      throw new Error(`${path}: its incremental file has an unknown format`)
    }
    const plain = 12 + 4 * count
    headerBytes = count === 0 ? plain : Math.ceil(plain / BLOCK) * BLOCK
    if (header.length < headerBytes) return
    numbers = Array.from({ length: count }, (_, at) => header.readUInt32LE(12 + 4 * at))
    const length = numbers.reduce((longest, number) => Math.max(longest, number + 1), shortest)
    // What was cut off and grew again without a written block is zero.
    if (fstatSync(file).size > shortest * BLOCK) ftruncateSync(file, shortest * BLOCK)
    ftruncateSync(file, length * BLOCK)
    rest = header.subarray(headerBytes)
  }

  return {
    write(bytes: Buffer) {
      if (numbers === undefined) {
        header = Buffer.concat([header, bytes])
        if (header.length >= 12) begin()
        if (numbers === undefined) return
      } else rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      let at = 0
      for (; rest.length - at >= BLOCK; at += BLOCK) {
        writeAll(file, rest.subarray(at, at + BLOCK), numbers[block++]! * BLOCK)
      }
      rest = Buffer.from(rest.subarray(at))
    },
    close() {
      closeSync(file)
      if (numbers === undefined || block !== numbers.length || rest.length > 0) {
        throw new Error(`${path}: its incremental file ends too early`)
      }
    },
  }
}

function writeAll(file: number, bytes: Buffer, position?: number): void {
  for (let at = 0; at < bytes.length; ) {
    at += writeSync(file, bytes, at, bytes.length - at, position === undefined ? undefined : position + at)
  }
}

/** An incremental backup names every file, so others were deleted since its parent. */
function removeUnseen(folder: string, seen: ReadonlySet<string>): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !seen.has(relative(folder, path))) rmSync(path)
  }
}

/** PostgreSQL refuses to start on a label of an incremental backup; with its parents applied, it's a whole one. */
function makeWhole(label: string): void {
  const lines = readFileSync(label, 'utf8').split('\n')
  writeFileSync(label, lines.filter((line) => !line.startsWith('INCREMENTAL FROM')).join('\n'))
}
