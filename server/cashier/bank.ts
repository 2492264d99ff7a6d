import { Problem } from '#contract/problem.ts'
import type { Db, Tx } from '../platform/db.ts'
import type { Seal } from '../platform/seal.ts'

/** A bank account as the trader gave it. */
export interface BankNumbers {
  bankName: string
  type: 'Checking' | 'Savings'
  accountNumber: string
  routingNumber: string
}

const ENDING = 4
const about = (withdrawalId: bigint) => `withdrawal ${withdrawalId}`
/** What is compared: the same account is written with blanks and hyphens or without. */
const bare = (number: string) => number.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()

/** What is stored of a bank account: its numbers only sealed, its ending to be shown, and a print to find it again. */
export function sealBank(seal: Seal, withdrawalId: bigint, bank: BankNumbers) {
  const numbers = { account_number: bank.accountNumber, routing_number: bank.routingNumber }
  return {
    bank_name: bank.bankName,
    bank_type: bank.type,
    bank_ending: bare(bank.accountNumber).slice(-ENDING),
    bank_sealed: seal.seal(JSON.stringify(numbers), about(withdrawalId)),
    bank_print: seal.print(`${bare(bank.routingNumber)} ${bare(bank.accountNumber)}`),
  }
}

const openBank = (
  seal: Seal,
  withdrawalId: bigint,
  sealed: Buffer,
): { account_number: string; routing_number: string } => JSON.parse(seal.open(sealed, about(withdrawalId)))

/** Where a bank withdrawal is paid to, unmasked: for the desk, which writes down who looked. */
export async function bankOf(deps: { db: Db | Tx; seal: Seal }, withdrawalId: bigint) {
  const row = await deps.db
    .selectFrom('withdrawals')
    .select(['bank_name', 'bank_type', 'bank_sealed'])
    .where('id', '=', withdrawalId)
    .executeTakeFirst()
  if (!row?.bank_sealed) throw new Problem('not_found', 'There is no such bank withdrawal.')
  return { bank_name: row.bank_name!, type: row.bank_type!, ...openBank(deps.seal, withdrawalId, row.bank_sealed) }
}
