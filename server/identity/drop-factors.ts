import type { Tx } from '../platform/db.ts'

/** Removes every second factor of a user: app, passkeys, recovery codes, and enrolments in progress. */
export async function dropFactors(tx: Tx, userId: bigint): Promise<void> {
  for (const table of ['totp_factors', 'passkeys', 'recovery_codes', 'passkey_challenges', 'step_ups'] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
}
