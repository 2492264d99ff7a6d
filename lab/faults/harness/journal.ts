/** A requested operation. Amounts are cents; `of` is the number of the entry that it follows up. */
export type Operation =
  | { kind: 'trade'; trader: number; mode: 'real' | 'demo'; symbol: string; side: 'Buy' | 'Sell'; cents: number }
  /** An order to sell a trade before its end, for at least so many cents. */
  | { kind: 'sell'; trader: number; of: number; cents: number }
  /** An order that waits for a time, Unix ms. */
  | {
      kind: 'wait'
      trader: number
      mode: 'real' | 'demo'
      symbol: string
      side: 'Buy' | 'Sell'
      cents: number
      at: number
    }
  | { kind: 'withdraw'; trader: number; cents: number }
  | { kind: 'cancel'; trader: number; of: number }
  | { kind: 'approve'; of: number }
  | { kind: 'pay'; of: number }
  | { kind: 'reject'; of: number }
  | { kind: 'card'; trader: number; cents: number }
  /** The card provider's event that a card deposit was paid. */
  | { kind: 'event'; of: number; cents: number }
  | { kind: 'deposit'; trader: number; cents: number }
  | { kind: 'credit'; of: number; cents: number }

/**
 * What the client saw. `unknown`: it can't tell whether the operation took effect, and retries with the same key until
 * it can.
 */
export type Outcome =
  | { kind: 'acknowledged'; id: string }
  | { kind: 'rejected'; status: number; code: string }
  | { kind: 'unknown'; why: string }

export interface Entry {
  n: number
  key: string
  operation: Operation
  outcome: Outcome
  /** Number of times it was sent. */
  sent: number
  /** When it was first sent, Unix ms, and how long that response took; undefined before. */
  sentAt?: number
  tookMs?: number
}

/** The client's record of every operation: its key and its outcome. */
export interface Journal {
  entries: Entry[]
  /** Responses that no client may ever see, as text: internal errors, and a different response to a repeated key. */
  complaints: string[]
  add(key: string, operation: Operation): Entry
  acknowledged<K extends Operation['kind']>(kind: K): AcknowledgedEntry<K>[]
  unknown(): Entry[]
}

type AcknowledgedEntry<K extends Operation['kind']> = Entry & {
  operation: Extract<Operation, { kind: K }>
  outcome: { kind: 'acknowledged'; id: string }
}

export function openJournal(): Journal {
  const entries: Entry[] = []
  return {
    entries,
    complaints: [],
    add(key, operation) {
      const entry: Entry = {
        n: entries.length,
        key,
        operation,
        outcome: { kind: 'unknown', why: 'not answered' },
        sent: 0,
      }
      entries.push(entry)
      return entry
    },
    acknowledged: (kind) =>
      entries.filter(
        ({ operation, outcome }) => operation.kind === kind && outcome.kind === 'acknowledged',
      ) as AcknowledgedEntry<typeof kind>[],
    unknown: () => entries.filter(({ outcome }) => outcome.kind === 'unknown'),
  }
}
