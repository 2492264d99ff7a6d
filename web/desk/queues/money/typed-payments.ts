/** What `POST /desk/payout-batches/:id/paid` takes. */
interface Payment {
  withdrawals: string[]
  transaction_id: string
}

/**
 * Reads which transactions paid the withdrawals of a batch: one id for all, or a line for each withdrawal with its
 * reference and the id. Returns a sentence about what can't be read.
 */
export function typedPayments(text: string, unpaid: readonly string[]): Payment[] | string {
  const lines = text
    .split('\n')
    .map((line) => line.split(/[\s,;]+/).filter((word) => word !== ''))
    .filter((words) => words.length > 0)
  const [first] = lines
  if (!first) return 'Transaction ID is required.'
  if (lines.length === 1 && first.length === 1) return [{ withdrawals: [...unpaid], transaction_id: first[0] ?? '' }]
  const byTransaction = new Map<string, Set<string>>()
  for (const [reference = '', transaction, more] of lines) {
    if (transaction === undefined || more !== undefined)
      return `“${reference}” needs one reference and one transaction ID on its line.`
    if (!unpaid.includes(reference)) return `${reference} isn't an unpaid withdrawal of this batch.`
    const paid = byTransaction.get(transaction) ?? new Set()
    byTransaction.set(transaction, paid.add(reference))
  }
  const named = [...byTransaction.values()].flatMap((paid) => [...paid])
  if (new Set(named).size < named.length) return 'A withdrawal has two transaction IDs.'
  return [...byTransaction].map(([transaction_id, paid]) => ({ withdrawals: [...paid], transaction_id }))
}
