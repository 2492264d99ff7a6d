import { must } from '#kernel/must.ts'
import type { Db } from '../../platform/database/db.ts'
import type { SealedColumn } from '../../platform/secrets/reseal.ts'
import { secretOf } from './secret.ts'

/** The secrets of operators' authenticator apps, for `npm run rekey`: those of invited operators first, who copy theirs. */
export const sealedOperatorSecrets = (db: Db): SealedColumn[] => [
  {
    what: "invited operators' authenticator secrets",
    purpose: 'operator',
    async page(after, limit) {
      const rows = await db
        .selectFrom('operator_invitations')
        .select(['id', 'email', 'totp_secret'])
        .where('id', '>', after)
        .where('totp_secret', 'is not', null)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ id: row.id, sealed: must(row.totp_secret), about: secretOf(row.email) }))
    },
    async replace({ id, sealed }, now) {
      await db
        .updateTable('operator_invitations')
        .set({ totp_secret: now })
        .where('id', '=', id)
        .where('totp_secret', '=', sealed)
        .execute()
    },
  },
  {
    what: "operators' authenticator secrets",
    purpose: 'operator',
    async page(after, limit) {
      const rows = await db
        .selectFrom('operators')
        .select(['id', 'email', 'totp_secret'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ id: row.id, sealed: row.totp_secret, about: secretOf(row.email) }))
    },
    async replace({ id, sealed }, now) {
      await db
        .updateTable('operators')
        .set({ totp_secret: now })
        .where('id', '=', id)
        .where('totp_secret', '=', sealed)
        .execute()
    },
  },
]
