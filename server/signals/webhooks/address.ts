import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { Problem } from '#contract/problem.ts'
import type { SignalAddress } from '#contract/trading/webhooks.ts'
import { strategyOwnedBy } from '../../own-strategies/index.ts'
import { type Db, inTransaction, sql } from '../../platform/database/db.ts'
import type { Seal } from '../../platform/secrets/seal.ts'

/** As many as a hash has: nobody can guess an address or a key. */
const SECRET_BYTES = 32

export interface AddressDeps {
  db: Db
  /** Encrypts the keys of signatures. */
  seal: Seal
  publicUrl(): string
}

/** Makes the address and the key of a strategy whose signals come from outside. They replace those made before. */
export function makeAddress({ db, seal, publicUrl }: AddressDeps, userId: bigint, id: bigint): Promise<SignalAddress> {
  return inTransaction(db, async (tx) => {
    const strategy = await strategyOwnedBy(tx, userId, id)
    if (strategy.kind !== 'webhook')
      throw new Problem('wrong_state', 'This strategy follows its rule. Make one whose signals come from outside.')
    const secret = randomBytes(SECRET_BYTES).toString('base64url')
    const key = randomBytes(SECRET_BYTES).toString('base64url')
    const values = { secret_hash: hashOf(secret), signing_key: seal.seal(key, aboutKey(id)), made_at: new Date() }
    await tx
      .insertInto('signal_addresses')
      .values({ strategy_id: id, ...values })
      .onConflict((conflict) => conflict.column('strategy_id').doUpdateSet(values))
      .execute()
    return { url: `${publicUrl()}/api/webhooks/${secret}`, signed_url: `${publicUrl()}/api/webhooks/${id}/signed`, key }
  })
}

/** Returns the strategy of a secret address. */
export async function strategyAt(db: Db, secret: string): Promise<bigint | undefined> {
  const { rows } = await sql<{ strategy_id: bigint }>`
    select strategy_id from signal_addresses where secret_hash = ${hashOf(secret)}`.execute(db)
  return rows[0]?.strategy_id
}

/** Whether a message was signed with the strategy's key. */
export async function isSigned(
  { db, seal }: Pick<AddressDeps, 'db' | 'seal'>,
  id: bigint,
  { nonce, text, signature }: { nonce: string; text: string; signature: string },
): Promise<boolean> {
  const { rows } = await sql<{ signing_key: Buffer }>`
    select signing_key from signal_addresses where strategy_id = ${id}`.execute(db)
  const sealed = rows[0]?.signing_key
  if (!sealed || !/^[0-9a-f]{64}$/i.test(signature)) return false
  const expected = createHmac('sha256', seal.open(sealed, aboutKey(id)))
    .update(`${nonce}.${text}`)
    .digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')
const aboutKey = (id: bigint) => `signals of strategy ${id}`
