import { must } from '#kernel/must.ts'
import type { Db } from '../../platform/database/db.ts'
import type { SealedColumn } from '../../platform/secrets/reseal.ts'
import { aboutOf } from './totp-factor.ts'

/** The secrets of authenticator apps, confirmed and not yet confirmed, for `npm run rekey`. */
export function sealedTotpSecrets(db: Db): SealedColumn[] {
  return (['secret', 'new_secret'] as const).map((column) => ({
    what: column === 'secret' ? 'authenticator secrets' : 'new authenticator secrets',
    purpose: 'totp',
    async page(after, limit) {
      const rows = await db
        .selectFrom('totp_factors')
        .select(['user_id', column])
        .where('user_id', '>', after)
        .where(column, 'is not', null)
        .orderBy('user_id')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ id: row.user_id, sealed: must(row[column]), about: aboutOf(row.user_id) }))
    },
    async replace({ id, sealed }, now) {
      // Confirming an app copies its secret to the other column, perhaps at this moment.
      for (const each of ['secret', 'new_secret'] as const) {
        await db
          .updateTable('totp_factors')
          .set({ [each]: now })
          .where('user_id', '=', id)
          .where(each, '=', sealed)
          .execute()
      }
    },
  }))
}
