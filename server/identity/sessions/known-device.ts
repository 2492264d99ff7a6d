import { first } from '#kernel/must.ts'
import { type Db, sql, type Tx } from '../../platform/database/db.ts'
import type { RequestInfo } from '../../platform/http/index.ts'
import { hashOf, newSecret } from '../passwords/secret.ts'

/** The owner of a device or link. */
type SignInOwner = { userId: bigint } | { operatorId: bigint }

/** The id of no account, for an address that has none. */
export const NOBODY = 0n

const COOKIE_SECONDS = 400 * 86_400
/** Devices remembered per owner; the least recently used are forgotten first. */
const KEPT = 20
const LINK_MINUTES = 60
const LINKS_MAX = 3

const columnOf = (owner: SignInOwner) => ('userId' in owner ? sql.ref('user_id') : sql.ref('operator_id'))
const idOf = (owner: SignInOwner) => ('userId' in owner ? owner.userId : owner.operatorId)

/** The cookie that proves a device to the endpoints below `path`. */
interface DeviceCookie {
  name: string
  path: string
}

/** Returns an id for the owner's device that a cookie proves, or undefined for any other device. */
export async function knownDevice(db: Db, owner: SignInOwner, secret: string | undefined): Promise<string | undefined> {
  if (secret === undefined || secret.length > 200) return undefined
  const { rows } = await sql`
    select from known_devices where token_hash = ${hashOf(secret)} and ${columnOf(owner)} = ${idOf(owner)}`.execute(db)
  return rows.length === 1 ? `device ${hashOf(secret).toString('base64')}` : undefined
}

/** Remembers the device that just signed in, with its existing cookie or a new one. */
export async function rememberDevice(
  db: Db | Tx,
  owner: SignInOwner,
  { name, path }: DeviceCookie,
  request: Pick<RequestInfo, 'cookies' | 'setCookie'>,
): Promise<void> {
  const shown = request.cookies[name]
  if (shown !== undefined && shown.length <= 200) {
    const { rows } = await sql`
      update known_devices set last_used_at = clock_timestamp()
      where token_hash = ${hashOf(shown)} and ${columnOf(owner)} = ${idOf(owner)} returning 1`.execute(db)
    if (rows.length === 1) return
  }
  const secret = newSecret()
  await sql`insert into known_devices (token_hash, ${columnOf(owner)}) values (${hashOf(secret)}, ${idOf(owner)})`.execute(
    db,
  )
  await sql`
    delete from known_devices where token_hash in (
      select token_hash from known_devices where ${columnOf(owner)} = ${idOf(owner)}
      order by last_used_at desc offset ${KEPT})`.execute(db)
  request.setCookie(name, secret, { path, maxAgeSeconds: COOKIE_SECONDS })
}

/**
 * Issues a sign-in link for the owner. It is valid for one hour, or until a sign-in with it succeeds. Returns undefined
 * if they have been sent some that work for a while: strangers can't make us flood the owner's mailbox, and the owner
 * always has one.
 */
export async function issueSignInLink(tx: Tx, owner: SignInOwner): Promise<string | undefined> {
  // One after the other, or parallel attempts would all find room.
  await sql`select pg_advisory_xact_lock(7071, hashtext(${`${'userId' in owner ? 'user' : 'operator'} ${idOf(owner)}`}))`.execute(
    tx,
  )
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from sign_in_links where ${columnOf(owner)} = ${idOf(owner)} and used_at is null
      and expires_at > clock_timestamp() + interval '15 minutes'`.execute(tx)
  if (first(rows).n >= LINKS_MAX) return undefined
  const secret = newSecret()
  await sql`delete from sign_in_links where expires_at < (select clock_timestamp()) - interval '1 day'`.execute(tx)
  await sql`
    insert into sign_in_links (token_hash, ${columnOf(owner)}, expires_at)
    values (${hashOf(secret)}, ${idOf(owner)}, clock_timestamp() + make_interval(mins => ${LINK_MINUTES}))`.execute(tx)
  return secret
}

/** Returns an id for the owner's link, or undefined when it has expired or isn't theirs. */
export async function validLink(db: Db, owner: SignInOwner, secret: string | undefined): Promise<string | undefined> {
  if (secret === undefined) return undefined
  const { rows } = await sql`
    select from sign_in_links where token_hash = ${hashOf(secret)} and ${columnOf(owner)} = ${idOf(owner)}
      and used_at is null and expires_at > clock_timestamp()`.execute(db)
  return rows.length === 1 ? `link ${hashOf(secret).toString('base64')}` : undefined
}

/** Revokes a link after a sign-in with it. */
export const endSignInLink = (tx: Db | Tx, secret: string) =>
  sql`update sign_in_links set used_at = clock_timestamp() where token_hash = ${hashOf(secret)} and used_at is null`.execute(
    tx,
  )

/** Forgets the devices that a user has signed in from. */
export const forgetDevices = (tx: Tx, userId: bigint) =>
  tx.deleteFrom('known_devices').where('user_id', '=', userId).execute()

/** Revokes the links that were mailed to a user. */
export const endSignInLinks = (tx: Tx, userId: bigint) =>
  sql`update sign_in_links set used_at = clock_timestamp() where user_id = ${userId} and used_at is null`.execute(tx)
