import { randomUUID } from 'node:crypto'
import { must } from '#kernel/must.ts'

const MARK = '#'
/** Texts whose parts have not all come, at most: a sender that died leaves some. */
const UNFINISHED_MAX = 100

/**
 * Splits a text that is longer than `most` bytes into parts that each fit. Every payload is different, because
 * PostgreSQL drops equal ones of a transaction.
 */
export function inParts(text: string, most: number): string[] {
  const id = randomUUID()
  if (Buffer.byteLength(text) + id.length + 1 <= most) return [`${id}${text}`]
  const encoded = Buffer.from(text).toString('base64')
  const size = most - id.length - 32
  const count = Math.ceil(encoded.length / size)
  return Array.from(
    { length: count },
    (_, at) => `${MARK}${id}:${at}:${count}:${encoded.slice(at * size, (at + 1) * size)}`,
  )
}

/** Joins the parts again. */
export function createParts() {
  const unfinished = new Map<string, string[]>()
  return {
    /** Returns the text once its last part is here. Parts of one text come in order. */
    join(payload: string): string | undefined {
      if (!payload.startsWith(MARK)) return payload.slice(36)
      const [id = '', at, count, piece = ''] = payload.slice(1).split(':')
      const pieces = Number(at) === 0 ? [] : unfinished.get(id)
      if (!pieces || pieces.length !== Number(at)) {
        unfinished.delete(id)
        return undefined
      }
      pieces.push(piece)
      if (pieces.length < Number(count)) {
        unfinished.set(id, pieces)
        if (unfinished.size > UNFINISHED_MAX) unfinished.delete(must(unfinished.keys().next().value))
        return undefined
      }
      unfinished.delete(id)
      return Buffer.from(pieces.join(''), 'base64').toString('utf8')
    },
  }
}
