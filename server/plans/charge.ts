import type { PlanValue, TradingPlan } from '#contract/terms.ts'
import { requireNoBlock } from '../guardrails/index.ts'
import { post } from '../ledger/index.ts'
import { type Db, sql, type Tx } from '../platform/database/db.ts'
import { differenceOf, nameOf } from './ladder.ts'

interface Charge {
  userId: bigint
  from: TradingPlan
  to: PlanValue
  /** The request that was approved. */
  requestId?: bigint
}

/**
 * Charges the price difference between two plans to the real balance. Returns the charge's number. Throws
 * `insufficient_balance`, and `account_locked` during a time-out or self-exclusion.
 */
export async function charge(tx: Tx, { userId, from, to, requestId }: Charge): Promise<bigint> {
  await requireNoBlock(tx, userId)
  const amount = differenceOf(from, to)
  const { id } = await tx
    .insertInto('plan_charges')
    .values({
      user_id: userId,
      from_plan: from,
      plan: to,
      amount,
      request_id: requestId ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await post(tx, {
    userId,
    mode: 'real',
    cause: 'plan_charge',
    causeId: id,
    parts: [{ debit: 'balance', credit: 'house', amount }],
  })
  return id
}

/** Returns the names of the plans that these charges paid. */
export async function plansOfCharges(db: Db, ids: readonly bigint[]): Promise<Map<bigint, string>> {
  const rows = await db
    .selectFrom('plan_charges')
    .select(['id', 'plan'])
    .where('id', '=', sql<bigint>`any(${ids}::bigint[])`)
    .execute()
  return new Map(rows.map(({ id, plan }) => [id, nameOf(plan)]))
}
