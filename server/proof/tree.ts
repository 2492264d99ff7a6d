import { hash } from 'node:crypto'

/**
 * The tree of a checkpoint's trades: sha256 over 0 and the leaf's text, or over 1 and the two children. A last node
 * without a sibling moves up unchanged. The root of no trades is 32 zero bytes.
 */
const LEAF = Buffer.from([0])
const NODE = Buffer.from([1])

export const leafHash = (text: string): Buffer => hash('sha256', Buffer.concat([LEAF, Buffer.from(text)]), 'buffer')

export function rootOf(leaves: readonly Buffer[]): Buffer {
  let level = [...leaves]
  if (level.length === 0) return Buffer.alloc(32)
  while (level.length > 1) level = above(level)
  return level[0]!
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
    return right ? hash('sha256', Buffer.concat([NODE, level[2 * i]!, right]), 'buffer') : level[2 * i]!
  })
