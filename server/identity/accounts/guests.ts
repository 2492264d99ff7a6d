import { randomBytes } from 'node:crypto'
import type { LoginReply } from '#contract/account/auth.ts'
import { Problem } from '#contract/problem.ts'
import { GUEST_DAYS } from '#contract/terms.ts'
import { must } from '#kernel/must.ts'
import { inTransaction, sql, type Tx } from '../../platform/database/db.ts'
import type { RequestInfo, Who } from '../../platform/http/index.ts'
import type { IdentityDeps } from '../deps.ts'
import { deviceOf } from '../sessions/device.ts'
import { beginSession, type Generation } from '../sessions/session-store.ts'
import { newReferralCode } from './referral-code.ts'
import { lockAccountById, shownUser } from './store.ts'

export const GUEST_SECONDS = GUEST_DAYS * 86_400

/** Where the placeholder addresses of guests are. No mail reaches `.invalid`, and nobody can register there. */
const DOMAIN = '@guest.invalid'

export const isGuestAddress = (email: string): boolean => email.toLowerCase().endsWith(DOMAIN)

/**
 * Opens an account of the demo without an e-mail address or a password, and its only session. It closes after
 * `GUEST_DAYS` unless it's kept (`keepGuest`). Throws `wrong_state` for a signed-in trader.
 */
export async function openGuest(
  deps: Pick<IdentityDeps, 'db' | 'ledger'>,
  who: Who | undefined,
  from: Pick<RequestInfo, 'ip' | 'userAgent'>,
): Promise<Generation & Pick<LoginReply, 'data'>> {
  if (who) throw new Problem('wrong_state', 'You are signed in already.')
  const { userId, session } = await inTransaction(deps.db, async (tx) => {
    const { id } = await tx
      .insertInto('users')
      .values({
        email: `${randomBytes(16).toString('hex')}${DOMAIN}`,
        password_hash: '',
        firstname: 'Guest',
        lastname: 'Trader',
        referral_code: newReferralCode(),
        guest_until: sql`clock_timestamp() + make_interval(days => ${GUEST_DAYS}::int)`,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    await deps.ledger.openAccounts(tx, id)
    const device = deviceOf(from.userAgent)
    return {
      userId: id,
      session: await beginSession(tx, { userId: id, device, address: from.ip, hours: GUEST_DAYS * 24 }),
    }
  })
  return { ...session, data: must(await shownUser(deps.db, userId)) }
}

/** Makes a guest a real account, with their trades. Throws `wrong_state` when it's one already, or closed. */
export async function keepGuest(
  deps: Pick<IdentityDeps, 'sessions'>,
  tx: Tx,
  userId: bigint,
  account: { email: string; password_hash: string; firstname: string; lastname: string; phone: string },
): Promise<void> {
  const guest = await lockAccountById(tx, userId)
  if (!guest || !isGuestAddress(guest.email)) throw new Problem('wrong_state', 'This account is kept already.')
  await tx
    .updateTable('users')
    .set({ ...account, guest_until: null })
    .where('id', '=', userId)
    .execute()
  await deps.sessions.changed(tx, userId)
}
