/** The conditions that must hold after every fault, by name. */
const CHECKS = {
  recovers: 'the product is up again by itself, and clients see prices and the entry of a new trade',
  responses: 'no internal error, no unexpected rejection, and a repeated key has the same result',
  acknowledged: 'everything acknowledged exists once, and nothing that was rejected or that nobody asked for',
  outcomes: 'every settled trade has the outcome of the tape, and keeps it',
  balances: 'every account holds what the acknowledged operations and the tape make of it',
  'in-time': 'no trade settles later than 5 s after its end or the recovery',
  'one-writer': 'only the session with the lock writes the tape',
  'tape-final': 'no frame changes or goes, and clients were shown nothing else',
  books: 'npm run verify finds nothing',
} as const
export type CheckName = keyof typeof CHECKS

export interface Finding {
  check: CheckName
  says: string
}
