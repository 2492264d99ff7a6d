import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { Problem } from '#contract/problem.ts'
import { must } from '#kernel/must.ts'
import { type Db, inTransaction, isUniqueViolation, sql, type Tx } from '../../platform/database/db.ts'
import type { Who } from '../../platform/http/index.ts'
import { findAccountById, lockAccountById, requireConfirmed } from '../accounts/store.ts'
import type { IdentityDeps } from '../deps.ts'
import { firstRecoveryCodes } from './recovery-codes.ts'

type Purpose = 'enrol' | 'sign_in' | 'step_up'
type Transport = 'ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb'

const PASSKEYS_MAX = 10

/** Loaded by the first passkey: every process would pay its time and memory at the start. */
const webauthn = () => import('@simplewebauthn/server')

/** A passkey is bound to the host of our public URL. */
const rpId = (deps: IdentityDeps) => new URL(deps.publicUrl()).hostname

const keysOf = (db: Db | Tx, userId: bigint) =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('id').execute()

const descriptors = (keys: { credential_id: string; transports: string[] }[]) =>
  keys.map((key) => ({ id: key.credential_id, transports: key.transports as Transport[] }))

/** Returns the options for creating a passkey in the browser. */
export async function passkeyEnrolment(deps: IdentityDeps, who: Who) {
  const account = await findAccountById(deps.db, who.userId)
  requireConfirmed(account)
  const keys = await keysOf(deps.db, who.userId)
  if (keys.length >= PASSKEYS_MAX) throw new Problem('limit_reached', `You already have ${PASSKEYS_MAX} passkeys.`)
  const { generateRegistrationOptions } = await webauthn()
  const options = await generateRegistrationOptions({
    rpName: deps.brand,
    rpID: rpId(deps),
    userName: must(account).email,
    userID: new TextEncoder().encode(String(who.userId)),
    attestationType: 'none',
    excludeCredentials: descriptors(keys),
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  })
  await keepChallenge(deps.db, who.userId, 'enrol', options.challenge)
  return { ...options }
}

/** Enrols the passkey that the browser created. Returns recovery codes if the account had none. */
export async function enrolPasskey(
  deps: IdentityDeps,
  who: Who,
  { name, response }: { name: string; response: object },
): Promise<string[]> {
  const unchecked = response as RegistrationResponseJSON
  const challenge = await takeChallenge(deps.db, who.userId, 'enrol', unchecked)
  const { verifyRegistrationResponse } = await webauthn()
  const verified = await verifyRegistrationResponse({
    response: unchecked,
    expectedChallenge: challenge,
    expectedOrigin: originOf(deps, unchecked),
    expectedRPID: rpId(deps),
    requireUserVerification: false,
  }).catch(() => undefined)
  if (!verified?.verified) throw notProven()
  const { credential } = verified.registrationInfo
  return inTransaction(deps.db, async (tx) => {
    requireConfirmed(await lockAccountById(tx, who.userId))
    await tx
      .insertInto('passkeys')
      .values({
        user_id: who.userId,
        credential_id: credential.id,
        public_key: Buffer.from(credential.publicKey),
        counter: BigInt(credential.counter),
        transports: [...(credential.transports ?? [])],
        name,
      })
      .execute()
    const codes = await firstRecoveryCodes(tx, who.userId)
    await deps.notices.write(tx, {
      userId: who.userId,
      kind: 'security',
      title: 'A passkey was added to your account',
      text: 'You can now use it to sign in and withdraw.',
      path: '/user/security',
    })
    return codes
  }).catch((error: unknown) => {
    if (isUniqueViolation(error, 'passkeys_credential'))
      throw new Problem('wrong_state', 'This passkey is already registered.')
    throw error
  })
}

/** Returns the options for verifying one of the account's passkeys. Throws `wrong_state` when it has none. */
export async function passkeyQuestion(deps: IdentityDeps, userId: bigint, purpose: 'sign_in' | 'step_up') {
  const keys = await keysOf(deps.db, userId)
  if (keys.length === 0) throw new Problem('wrong_state', 'This account has no passkey.')
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: rpId(deps),
    allowCredentials: descriptors(keys),
    userVerification: 'preferred',
  })
  await keepChallenge(deps.db, userId, purpose, options.challenge)
  return { ...options }
}

/** Whether the response verifies one of the account's passkeys, for an unused challenge of ours. */
export async function provesPasskey(
  deps: IdentityDeps,
  userId: bigint,
  purpose: 'sign_in' | 'step_up',
  response: object,
): Promise<boolean> {
  const unchecked = response as AuthenticationResponseJSON
  const key = (await keysOf(deps.db, userId)).find((candidate) => candidate.credential_id === unchecked.id)
  if (!key) return false
  const challenge = await takeChallenge(deps.db, userId, purpose, unchecked)
  const { verifyAuthenticationResponse } = await webauthn()
  const verified = await verifyAuthenticationResponse({
    response: unchecked,
    expectedChallenge: challenge,
    expectedOrigin: originOf(deps, unchecked),
    expectedRPID: rpId(deps),
    requireUserVerification: false,
    credential: {
      id: key.credential_id,
      publicKey: new Uint8Array(key.public_key),
      counter: Number(key.counter),
      transports: key.transports as Transport[],
    },
  }).catch(() => undefined)
  if (!verified?.verified) return false
  await deps.db
    .updateTable('passkeys')
    .set({ counter: BigInt(verified.authenticationInfo.newCounter), last_used_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', key.id)
    .execute()
  return true
}

const keepChallenge = (db: Db, userId: bigint, purpose: Purpose, challenge: string) =>
  db.insertInto('passkey_challenges').values({ challenge, user_id: userId, purpose }).execute()

/** Consumes and returns the challenge that a response belongs to. */
async function takeChallenge(
  db: Db,
  userId: bigint,
  purpose: Purpose,
  unchecked: { response?: { clientDataJSON?: unknown } },
): Promise<string> {
  const said = clientData(unchecked)?.challenge
  if (typeof said !== 'string') throw notProven()
  const { rows } = await sql<{ challenge: string }>`
    delete from passkey_challenges where challenge = ${said} and user_id = ${userId} and purpose = ${purpose}
      and expires_at > clock_timestamp() returning challenge`.execute(db)
  if (!rows[0]) throw notProven()
  return rows[0].challenge
}

/** Returns the page's origin as the browser reported it if it is one of ours, otherwise one that no browser reports. */
function originOf(deps: IdentityDeps, unchecked: { response?: { clientDataJSON?: unknown } }): string {
  const origin = clientData(unchecked)?.origin
  return typeof origin === 'string' && deps.isAcceptedOrigin(origin) ? origin : deps.publicUrl()
}

function clientData(unchecked: { response?: { clientDataJSON?: unknown } }): Record<string, unknown> | undefined {
  try {
    const data: unknown = JSON.parse(
      Buffer.from(String(unchecked.response?.clientDataJSON), 'base64url').toString('utf8'),
    )
    return typeof data === 'object' && data !== null ? (data as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const notProven = () => new Problem('invalid_credentials', "We couldn't verify that passkey. Try again.")
