import { hash } from 'node:crypto'
import { must } from '#kernel/must.ts'

/**
 * A tree of hashes, of a checkpoint's trades or a frame's orders: sha256 over 0 and the leaf's text, or over 1 and the two
 * children. A last node without a sibling moves up unchanged. The root of nothing is 32 zero bytes.
 */
const NODE = Buffer.from([1])

/** As hex: three times as fast as a buffer. */
export const leafHex = (text: string): string => hash('sha256', `\0${text}`, 'hex')

export const leafHash = (text: string): Buffer => Buffer.from(leafHex(text), 'hex')

export const rootOf = (leaves: readonly Buffer[]): Buffer => rootOfBytes(Buffer.concat(leaves))

/** The same of leaves one after the other, 32 bytes each. Hashes in place: a buffer for each node would cost more than its hash. */
export function rootOfBytes(leaves: Buffer): Buffer {
  if (leaves.length === 0) return Buffer.alloc(32)
  const level = Buffer.from(leaves)
  const pair = Buffer.concat([NODE, Buffer.alloc(64)])
  let count = level.length / 32
  while (count > 1) {
    const pairs = count >> 1
    for (let i = 0; i < pairs; i++) {
      level.copy(pair, 1, 64 * i, 64 * (i + 1))
      level.write(hash('sha256', pair, 'hex'), 32 * i, 'hex')
    }
    if (count % 2 === 1) level.copy(level, 32 * pairs, 32 * (count - 1), 32 * count)
    count -= pairs
  }
  return level.subarray(0, 32)
}

/** Returns the siblings on the path from a leaf to the root. */
export function pathOf(leaves: readonly Buffer[], position: number): Buffer[] {
  const path: Buffer[] = []
  let level = [...leaves]
  let place = position
  while (level.length > 1) {
    const neighbour = level[place ^ 1]
    if (neighbour) path.push(neighbour)
    level = above(level)
    place = place >> 1
  }
  return path
}

const above = (level: readonly Buffer[]): Buffer[] =>
  Array.from({ length: Math.ceil(level.length / 2) }, (_, i) => {
    const right = level[2 * i + 1]
    return right ? hash('sha256', Buffer.concat([NODE, must(level[2 * i]), right]), 'buffer') : must(level[2 * i])
  })
