/**
 * Time-ordered ids of 63 bits: 41 bits of milliseconds since 2024, 10 bits of node, 12 bits of counter. Made by the
 * application before anything is written, so that a retry carries the same id; in PostgreSQL a bigint.
 */
const EPOCH_MS = 1_704_067_200_000n
const COUNTER_BITS = 12n
const NODE_BITS = 10n
const COUNTER_MAX = (1n << COUNTER_BITS) - 1n

/** Makes the id source of one process. `node` must differ between processes that run at the same time (0 to 1023). */
export function idSource(node: number, now: () => number = Date.now): () => bigint {
  let lastMs = 0n
  let counter = 0n
  return () => {
    const ms = BigInt(now()) - EPOCH_MS
    if (ms > lastMs) {
      lastMs = ms
      counter = 0n
    } else if (counter === COUNTER_MAX) {
      // A clock that stands or goes back never repeats an id: the source runs ahead of it instead.
      lastMs += 1n
      counter = 0n
    } else {
      counter += 1n
    }
    return (lastMs << (COUNTER_BITS + NODE_BITS)) | (BigInt(node) << COUNTER_BITS) | counter
  }
}

/** What every id that is made from this moment on is larger than, whichever node makes it. */
export const idFloor = (ms: number): bigint => ((BigInt(Math.floor(ms)) - EPOCH_MS) << (COUNTER_BITS + NODE_BITS)) - 1n

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** The public form: 13 characters, upper case, without letters that are mistaken for digits; sorts like the number. */
export function publicId(id: bigint): string {
  // Thirty bits at a time: shifting a bigint for each letter costs ten times as much.
  return (
    letters(Number(id >> 60n), 1) + letters(Number((id >> 30n) & THIRTY_BITS), 6) + letters(Number(id & THIRTY_BITS), 6)
  )
}

const THIRTY_BITS = (1n << 30n) - 1n

function letters(value: number, count: number): string {
  let text = ''
  for (let rest = value, i = 0; i < count; i++, rest >>= 5) text = ALPHABET[rest & 31] + text
  return text
}

/** The number behind a public id, or `undefined` where the text is none (unknown characters, wrong length, too large). */
export function parsePublicId(unchecked: string): bigint | undefined {
  if (unchecked.length !== 13) return undefined
  let id = 0n
  for (const character of unchecked) {
    const value = ALPHABET.indexOf(character)
    if (value < 0) return undefined
    id = (id << 5n) | BigInt(value)
  }
  return id < 1n << 63n ? id : undefined
}
