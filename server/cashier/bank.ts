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

/** The numbers again, for whoever pays. */
export const openBank = (
  seal: Seal,
  withdrawalId: bigint,
  sealed: Buffer,
): { account_number: string; routing_number: string } => JSON.parse(seal.open(sealed, about(withdrawalId)))
