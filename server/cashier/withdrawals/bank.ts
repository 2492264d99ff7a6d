import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { SealedColumn } from '../../platform/secrets/reseal.ts'
import type { Seal } from '../../platform/secrets/seal.ts'

/** A bank account as the trader entered it. */
export interface BankNumbers {
  bankName: string
  type: 'Checking' | 'Savings'
  accountNumber: string
  routingNumber: string
}

const ENDING = 4
const about = (withdrawalId: bigint) => `withdrawal ${withdrawalId}`
/** What the sealed numbers of an entry of an address book belong to. */
export const bookEntry = (id: bigint) => `address ${id}`
/** Strips spaces and hyphens, so that different spellings of an account number compare equal. */
const bare = (number: string) => number.replaceAll(/[^0-9A-Za-z]/g, '').toUpperCase()

/**
 * Returns what is stored of a bank account: the numbers encrypted, the last digits for display, and a fingerprint for
 * lookups.
 */
export function sealBank(seal: Seal, withdrawalId: bigint, bank: BankNumbers) {
  return {
    bank_name: bank.bankName,
    bank_type: bank.type,
    bank_ending: endingOf(bank),
    bank_sealed: sealNumbers(seal, about(withdrawalId), bank),
    bank_fingerprint: bankFingerprint(seal, bank),
  }
}

export const sealNumbers = (seal: Seal, owner: string, bank: BankNumbers): Buffer =>
  seal.seal(JSON.stringify(numbersOf(bank)), owner)

const numbersOf = (bank: BankNumbers): Numbers => ({
  account_number: bank.accountNumber,
  routing_number: bank.routingNumber,
})

/** The digits of an account number that are shown. */
export const endingOf = ({ accountNumber }: BankNumbers): string => bare(accountNumber).slice(-ENDING)

/** Returns the fingerprint under which withdrawals to this bank account are found. */
export const bankFingerprint = (seal: Seal, bank: BankNumbers): Buffer => fingerprintOf(seal, numbersOf(bank))

interface Numbers {
  account_number: string
  routing_number: string
}

const fingerprintOf = ({ fingerprint }: Pick<Seal, 'fingerprint'>, numbers: Numbers): Buffer =>
  fingerprint(`${bare(numbers.routing_number)} ${bare(numbers.account_number)}`)

const openBank = (seal: Seal, withdrawalId: bigint, sealed: Buffer): Numbers =>
  JSON.parse(seal.open(sealed, about(withdrawalId)))

/** Returns the unmasked bank account of a withdrawal. For the desk, which audits each view. */
export async function bankOf(deps: { db: Db | Tx; seal: Seal }, withdrawalId: bigint) {
  const row = await deps.db
    .selectFrom('withdrawals')
    .select(['bank_name', 'bank_type', 'bank_sealed'])
    .where('id', '=', withdrawalId)
    .executeTakeFirst()
  if (!row?.bank_sealed) throw new Problem('not_found', 'Bank withdrawal not found.')
  return {
    bank_name: must(row.bank_name),
    type: must(row.bank_type),
    ...openBank(deps.seal, withdrawalId, row.bank_sealed),
  }
}

/** The bank accounts of withdrawals and of address books, for `npm run rekey`. */
export function sealedBanks(db: Db): SealedColumn[] {
  const columns = (text: string, now: Buffer, fingerprint: Seal['fingerprint']) => ({
    bank_sealed: now,
    bank_fingerprint: fingerprintOf({ fingerprint }, JSON.parse(text)),
  })
  return [
    {
      what: 'bank accounts',
      purpose: 'bank',
      async page(after, limit) {
        const rows = await db
          .selectFrom('withdrawals')
          .select(['id', 'bank_sealed'])
          .where('id', '>', after)
          .where('bank_sealed', 'is not', null)
          .orderBy('id')
          .limit(limit)
          .execute()
        return rows.map(({ id, bank_sealed }) => ({ id, sealed: must(bank_sealed), about: about(id) }))
      },
      async replace({ id, sealed }, now, text, fingerprint) {
        await db
          .updateTable('withdrawals')
          .set(columns(text, now, fingerprint))
          .where('id', '=', id)
          .where('bank_sealed', '=', sealed)
          .execute()
      },
    },
    {
      what: 'bank accounts of address books',
      purpose: 'bank',
      async page(after, limit) {
        const rows = await db
          .selectFrom('payout_addresses')
          .select(['id', 'bank_sealed'])
          .where('id', '>', after)
          .where('bank_sealed', 'is not', null)
          .orderBy('id')
          .limit(limit)
          .execute()
        return rows.map(({ id, bank_sealed }) => ({ id, sealed: must(bank_sealed), about: bookEntry(id) }))
      },
      async replace({ id, sealed }, now, text, fingerprint) {
        await db
          .updateTable('payout_addresses')
          .set(columns(text, now, fingerprint))
          .where('id', '=', id)
          .where('bank_sealed', '=', sealed)
          .execute()
      },
    },
  ]
}
