import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { damaged, type Envelope } from './envelope.ts'
import type { Target } from './target.ts'

const PART_BYTES = 8 << 20
/** No part is larger; one that unpacks to more is hostile. */
const PART_MAX = 2 * PART_BYTES

/** Where a backup's objects go, and how they are encrypted. */
export interface Place {
  id: string
  target: Target
  envelope: Envelope
}

const partName = (stream: string, number: number) => `${stream}-${String(number).padStart(5, '0')}`

/** Writes a stream of bytes as compressed, encrypted objects of bounded size. */
export function partWriter({ id, target, envelope }: Place, stream: string) {
  let pieces: Buffer[] = []
  let held = 0
  let parts = 0
  let stored = 0

  async function flush(): Promise<void> {
    if (held === 0) return
    const name = partName(stream, parts++)
    const packed = zstdCompressSync(Buffer.concat(pieces), { params: { [constants.ZSTD_c_compressionLevel]: 1 } })
    pieces = []
    held = 0
    const sealed = envelope.seal(name, packed)
    stored += sealed.length
    await target.write(`${id}/${name}`, sealed)
  }

  return {
    async write(bytes: Buffer): Promise<void> {
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + PART_BYTES - held)
        pieces.push(piece)
        held += piece.length
        at += piece.length
        if (held === PART_BYTES) await flush()
      }
    },
    /** Writes what is left; returns the number of parts and their bytes in storage. */
    async finish(): Promise<{ parts: number; stored: number }> {
      await flush()
      return { parts, stored }
    },
  }
}

/** Reads such a stream back, part by part. Throws `StartProblem` at the first missing or changed part. */
export async function* readParts({ id, target, envelope }: Place, stream: string, parts: number) {
  for (let number = 0; number < parts; number++) {
    const name = partName(stream, number)
    const sealed = await target.read(`${id}/${name}`)
    if (sealed === undefined) throw damaged(id, name, 'it is missing')
    yield zstdDecompressSync(envelope.open(name, sealed), { maxOutputLength: PART_MAX })
  }
}
