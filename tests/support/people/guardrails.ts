import { connectTo } from '../servers/database.ts'

/** Backdates a trader's requested changes, as the owner of the database: the application can't. */
export const ageChanges = (ownerUrl: string, userId: bigint | string, days = 1): Promise<void> =>
  asOwner(
    ownerUrl,
    `update guard_changes set requested_at = requested_at - interval '${days} days', due_at = due_at - interval '${days} days'
     where account_id = ${BigInt(userId) * 2n} and applied_at is null and cancelled_at is null`,
  )

/** Backdates a trader's exclusions, including their requests to return. */
export const ageExclusions = (ownerUrl: string, userId: bigint | string, interval: string): Promise<void> =>
  asOwner(
    ownerUrl,
    `alter table exclusions disable trigger exclusions_return_once;
     update exclusions set starts_at = starts_at - interval '${interval}', ends_at = ends_at - interval '${interval}',
       return_at = return_at - interval '${interval}' where user_id = ${userId};
     alter table exclusions enable trigger exclusions_return_once;
     update guards set blocked_until = null where account_id = ${BigInt(userId) * 2n}`,
  )

async function asOwner(ownerUrl: string, statements: string): Promise<void> {
  const client = await connectTo(ownerUrl)
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}
