import type { Tx } from '../../platform/database/db.ts'

/** Removes every second factor of a user: app, passkeys, recovery codes, and enrolments in progress. */
export async function dropFactors(tx: Tx, userId: bigint): Promise<void> {
  await tx.deleteFrom('totp_factors').where('user_id', '=', userId).execute()
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await tx.deleteFrom('passkey_challenges').where('user_id', '=', userId).execute()
  await tx.deleteFrom('step_ups').where('user_id', '=', userId).execute()
}
