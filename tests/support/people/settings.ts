import type { SettingsBody } from '#contract/desk/office/settings.ts'
import { first } from '#kernel/must.ts'
import { audited } from '#server/desk/audit/audited.ts'
import { type Db, sql, type Tx } from '#server/platform/database/db.ts'

/**
 * Changes settings by SQL, in the transaction in which a second operator approves what another proposed: the database
 * takes it only so.
 */
export async function changeSettings(
  db: Db,
  changes: Partial<Omit<SettingsBody, 'reason'>>,
  change: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  const proposer = await settingsOperator(db, 'settings.one@desk.example')
  const email = 'settings.two@desk.example'
  const operatorId = await settingsOperator(db, email)
  await audited(db, { operatorId, email }, async (tx) => {
    const { rows } = await sql<{ id: bigint }>`
      insert into proposals (kind, payload, reason, proposed_by)
      values ('settings', ${JSON.stringify({ changes, before: {} })}::jsonb, 'For a test', ${proposer}) returning id`.execute(
      tx,
    )
    const { id } = first(rows)
    await sql`
      update proposals set status = 'Approved', decided_by = ${operatorId} where kind = 'settings' and id = ${id}`.execute(
      tx,
    )
    await change(tx)
    return { entry: { action: 'approve', item: { kind: 'settings', id: String(id) } }, answer: undefined }
  })
}

/** Removes the limits of all symbols. */
export async function clearSymbolLimits(db: Db): Promise<void> {
  const { rows } = await sql<{ symbol: string; open_max: null }>`
    select i.symbol, null as open_max from symbol_open s join instruments i on i.id = s.symbol_id where s.open_max is not null`.execute(
    db,
  )
  await changeSettings(db, { symbol_limits: rows }, (tx) => sql`delete from symbol_open`.execute(tx))
}

async function settingsOperator(db: Db, email: string): Promise<bigint> {
  const known = await db.selectFrom('operators').select('id').where('email', '=', email).executeTakeFirst()
  if (known) return known.id
  const { id } = await db
    .insertInto('operators')
    .values({ email, password_hash: 'x', totp_secret: Buffer.from('x'), roles: ['support'] })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}
