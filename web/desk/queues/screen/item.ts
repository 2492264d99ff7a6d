/** The common fields of queue items. */
export interface QueueItem {
  id: string
  user_id: string | null
  email: string
  name: string
  created_at: string
  status: string
  claimed_by: { operator_id: string; email: string; since: string; mine: boolean } | null
  own: boolean
  flags: string[]
}

/** The input of an action. */
export type Asked =
  /** A second look instead of input: the label repeats what is about to happen, to whom and for how much. */
  | { label: string; kind: 'confirm' }
  | { label: string; kind: 'text' | 'long'; hint?: string }
  | {
      label: string
      /** US dollars: `run` gets only what can be read. */
      kind: 'amount'
      hint?: string
      /** What the button does with the amount: `Credit`. */
      verb: string
      /** Whom the amount goes to, for the second look. */
      to: string
      /** Says what is odd about an amount; it must then be typed a second time. */
      warning?: (amount: number) => string | undefined
    }

/** An action on the selected item. */
export interface Action {
  /** Its shortcut key: one character. */
  key: string
  label: string
  look?: 'primary' | 'secondary' | 'danger'
  /** The input that must be typed first. */
  asks?: Asked
  /** Runs the action; `typed` is the input. Returns the success message. */
  run: (typed: string) => Promise<string>
}

/** The action that approves an item after a second look at what it is: `the deposit of $50.00 of ada@example.org`. */
export const approval = (what: string, run: (typed: string) => Promise<string>): Action => ({
  key: 'a',
  label: 'Approve',
  look: 'primary',
  asks: { label: `Approve ${what}?`, kind: 'confirm' },
  run,
})

/** The action that rejects an item, with a reason. */
export const rejection = (run: (reason: string) => Promise<string>, hint?: string): Action => ({
  key: 'r',
  label: 'Reject',
  look: 'danger',
  asks: { label: 'Reason', kind: 'long', ...(hint === undefined ? {} : { hint }) },
  run,
})

/** The action that revokes the operator's own approval. */
export const revocation = (run: () => Promise<unknown>): Action => ({
  key: 'b',
  label: 'Revoke my approval',
  run: async () => {
    await run()
    return 'Your approval was revoked.'
  },
})

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Returns how long something has waited, as text: `4 min`, `3 h`, `2 days`. */
export function waited(since: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(since))
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h`
  const days = Math.floor(ms / DAY_MS)
  return days === 1 ? '1 day' : `${days} days`
}

/** Returns why this operator can't act on the item now, as text; undefined if they can. */
export function whyNot(item: QueueItem, { may, open }: { may: boolean; open: boolean }): string | undefined {
  if (!may) return "You can view this but you can't act on it."
  if (!open) return undefined
  if (item.own) return "You can't act on your own item. Ask another operator."
  if (item.claimed_by && !item.claimed_by.mine) return `${item.claimed_by.email} is working on this.`
  return undefined
}

/** Returns the item before or after the selected one; the first if none is selected. */
export function neighbour<T extends { id: string }>(
  items: readonly T[],
  id: string | undefined,
  step: 1 | -1,
): T | undefined {
  const at = items.findIndex((item) => item.id === id)
  return at < 0 ? items[0] : items[Math.min(items.length - 1, Math.max(0, at + step))]
}

/** Names the person of an item: `Ada Byron (ada@example.org)`. */
export const personOf = ({ name, email }: { name: string; email: string }) =>
  name.trim() ? `${name} (${email})` : email
