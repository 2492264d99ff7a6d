import { hash } from 'node:crypto'

/**
 * A tree of amounts: a node is its hash (32 bytes) and its sum (8 bytes). An entry's hash is sha256 over 0 and its
 * text; a node's is sha256 over 1 and its two children, and its sum is theirs. A last node without a sibling moves up
 * unchanged.
 */
export const NODE_BYTES = 40
const HASH_BYTES = 32
const ENTRY = Buffer.from([0])
const NODE = Buffer.from([1])
/** Nodes that are computed before other work gets a turn. */
const TURN = 500

interface SumNode {
  hash: Buffer
  sum: bigint
}

export function entryNode(text: string, sum: bigint): Buffer {
  return nodeOf(hash('sha256', Buffer.concat([ENTRY, Buffer.from(text)]), 'buffer'), sum)
}

function nodeOf(hashed: Buffer, sum: bigint): Buffer {
  const node = Buffer.alloc(NODE_BYTES)
  hashed.copy(node)
  node.writeBigUInt64BE(sum, HASH_BYTES)
  return node
}

export const readNode = (node: Buffer): SumNode => ({
  hash: node.subarray(0, HASH_BYTES),
  sum: node.readBigUInt64BE(HASH_BYTES),
})

/** Returns all nodes, level by level, from the entries to the root. Yields to other work in between. */
export async function sumTree(entries: Buffer): Promise<Buffer> {
  const levels = [entries]
  for (let level = entries; level.length > NODE_BYTES; ) {
    const width = level.length / NODE_BYTES
    const above = Buffer.alloc(Math.ceil(width / 2) * NODE_BYTES)
    for (let i = 0; i < width; i += 2) {
      const [left, right] = [nodeAt(level, i), nodeAt(level, i + 1)]
      const node =
        i + 1 < width
          ? nodeOf(
              hash('sha256', Buffer.concat([NODE, left, right]), 'buffer'),
              readNode(left).sum + readNode(right).sum,
            )
          : left
      node.copy(above, (i / 2) * NODE_BYTES)
      if (i % TURN === 0) await new Promise(setImmediate)
    }
    levels.push(above)
    level = above
  }
  return Buffer.concat(levels)
}

/** Returns one of the nodes that lie one after the other. */
export const nodeAt = (level: Buffer, i: number) => level.subarray(i * NODE_BYTES, (i + 1) * NODE_BYTES)

/** Returns the root of a tree as `sumTree` returns it: of none, 32 zero bytes and nothing. */
export const rootOfSums = (nodes: Buffer): SumNode =>
  nodes.length === 0 ? { hash: Buffer.alloc(HASH_BYTES), sum: 0n } : readNode(nodes.subarray(-NODE_BYTES))

/** Returns the positions of the siblings on the path from an entry to the root, counted in nodes from the first. */
export function pathIn(entries: number, position: number): number[] {
  const path: number[] = []
  let first = 0
  for (let [width, place] = [entries, position]; width > 1; [width, place] = [Math.ceil(width / 2), place >> 1]) {
    const neighbour = place ^ 1
    if (neighbour < width) path.push(first + neighbour)
    first += width
  }
  return path
}
