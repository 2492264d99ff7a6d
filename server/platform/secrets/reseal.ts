import { last } from '#kernel/must.ts'
import type { Seal } from './seal.ts'

/** A sealed value in the database. `id`: its row, and its column if the row has several. */
interface SealedValue {
  id: bigint
  sealed: Buffer
  about: string
}

/** All values of one purpose in one column, which a room lists for `npm run rekey`. */
export interface SealedColumn {
  /** What the operator reads: `bank accounts`. */
  what: string
  /** The purpose that the values are sealed with. */
  purpose: string
  /** Up to `limit` values whose `id` is above `after`, in order. */
  page(after: bigint, limit: number): Promise<SealedValue[]>
  /** Replaces a value unless it changed meanwhile. `fingerprint`: of a text, under the installation's key. */
  replace(value: SealedValue, now: Buffer, text: string, fingerprint: Seal['fingerprint']): Promise<void>
}

export interface Rekeyed {
  current: number
  /** Only one of the other keys opens them; they were sealed again, if that was asked for. */
  other: number
  /** No key opens them. */
  unreadable: string[]
}

const PAGE = 200

/** Looks at every value of a column, and with `rewrite` seals those again that only another key opens. */
export async function rekeyColumn(
  column: SealedColumn,
  seal: Seal,
  { rewrite, progress }: { rewrite: boolean; progress?: (done: number) => void },
): Promise<Rekeyed> {
  const result: Rekeyed = { current: 0, other: 0, unreadable: [] }
  let after = -1n
  for (let done = 0; ; progress?.(done)) {
    const page = await column.page(after, PAGE)
    if (page.length === 0) return result
    for (const value of page) {
      if (seal.isCurrent(value.sealed, value.about)) {
        result.current += 1
        continue
      }
      let text: string
      try {
        text = seal.open(value.sealed, value.about)
      } catch {
        result.unreadable.push(`${column.what}: ${value.about}`)
        continue
      }
      result.other += 1
      if (rewrite) await column.replace(value, seal.seal(text, value.about), text, seal.fingerprint)
    }
    after = last(page).id
    done += page.length
  }
}
