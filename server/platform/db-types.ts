/** Made by `npm run db:dump` from the migrated schema; do not edit. */
import type { Generated } from 'kysely'

export interface DB {
  accounts: {
    id: bigint
    user_id: bigint
    book: 'real' | 'demo'
    balance: Generated<bigint>
    escrow: Generated<bigint>
    hold: Generated<bigint>
    owed: Generated<bigint>
    seq: Generated<bigint>
    last_at: Generated<Date>
  }
  transfers: {
    cause: 'trade_open' | 'trade_settle' | 'deposit_credit' | 'withdraw_hold' | 'withdraw_paid' | 'withdraw_release' | 'plan_charge' | 'adjust' | 'deposit_reversal' | 'demo_grant'
    cause_id: bigint
    part: number
    account_id: bigint
    book: 'real' | 'demo'
    debit: 'balance' | 'escrow' | 'hold' | 'owed' | 'house' | 'external_in' | 'external_out' | 'mint'
    credit: 'balance' | 'escrow' | 'hold' | 'owed' | 'house' | 'external_in' | 'external_out' | 'mint'
    amount: bigint
    account_seq: bigint
    balance_after: bigint
    at: Date
  }
}
