import type { Usd } from '#kernel/money.ts'
import type { Db, Tx } from '../platform/database/db.ts'

/** The most that the house may lose on a factor or a symbol in one direction, in cents. */
interface LossLimit {
  name: string
  lossMax: Usd
}

/** Returns the limits that operators have set, by name. */
export async function lossLimits(db: Db | Tx): Promise<LossLimit[]> {
  const rows = await db.selectFrom('risk_limits').select(['name', 'loss_max']).orderBy('name').execute()
  return rows.map(({ name, loss_max }) => ({ name, lossMax: loss_max }))
}

/** Sets limits; null removes one. The next count grants rooms within them. */
export async function setLossLimits(tx: Tx, limits: readonly { name: string; lossMax: Usd | null }[]): Promise<void> {
  for (const { name, lossMax } of limits) {
    if (lossMax === null) await tx.deleteFrom('risk_limits').where('name', '=', name).execute()
    else
      await tx
        .insertInto('risk_limits')
        .values({ name, loss_max: lossMax })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ loss_max: lossMax }))
        .execute()
  }
}
