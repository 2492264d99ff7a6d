import { accountOf } from '#server/ledger/index.ts'
import type { Journal } from '../journal.ts'
import { type People, START_CENTS } from '../people.ts'
import type { StoredTrade, Verdict } from './outcomes.ts'

/** The amounts in an account, in cents. */
export interface Holdings {
  balance: bigint
  escrow: bigint
  hold: bigint
}

/**
 * Computes what every account must hold from the acknowledged operations and the tape's verdicts. Returns each account
 * that holds something else, as text.
 */
export function balancesWrong(
  journal: Journal,
  people: People,
  facts: {
    trades: readonly StoredTrade[]
    verdicts: ReadonlyMap<bigint, Verdict>
    accounts: ReadonlyMap<bigint, Holdings>
  },
): string[] {
  const expected = new Map<bigint, Holdings>()
  const of = (trader: number, mode: 'real' | 'demo' = 'real') =>
    expected.get(accountOf(people.traders[trader]!.userId, mode))!
  for (const { userId } of people.traders)
    for (const mode of ['real', 'demo'] as const)
      expected.set(accountOf(userId, mode), { balance: START_CENTS[mode], escrow: 0n, hold: 0n })

  const amountOf = (n: number) => BigInt((journal.entries[n]!.operation as { cents: number }).cents)
  const ownerOf = (n: number) => of((journal.entries[n]!.operation as { trader: number }).trader)
  for (const { operation } of journal.acknowledged('withdraw')) {
    of(operation.trader).balance -= BigInt(operation.cents)
    of(operation.trader).hold += BigInt(operation.cents)
  }
  for (const kind of ['cancel', 'reject'] as const)
    for (const { operation } of journal.acknowledged(kind)) {
      ownerOf(operation.of).balance += amountOf(operation.of)
      ownerOf(operation.of).hold -= amountOf(operation.of)
    }
  for (const { operation } of journal.acknowledged('pay')) ownerOf(operation.of).hold -= amountOf(operation.of)
  for (const kind of ['event', 'credit'] as const)
    for (const { operation } of journal.acknowledged(kind)) ownerOf(operation.of).balance += BigInt(operation.cents)
  for (const { id, account_id, stake, status } of facts.trades) {
    const account = expected.get(account_id)
    if (!account) continue
    account.balance -= stake
    if (status === 'Pending') account.escrow += stake
    else account.balance += facts.verdicts.get(id)!.payout
  }

  return [...expected].flatMap(([id, must]) => {
    const has = facts.accounts.get(id)
    const wrong = (['balance', 'escrow', 'hold'] as const).filter((name) => has?.[name] !== must[name])
    return wrong.map((name) => `account ${id} has ${has?.[name]} cents of ${name} and must have ${must[name]}`)
  })
}
