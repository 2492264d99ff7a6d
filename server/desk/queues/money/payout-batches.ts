import { Readable } from 'node:stream'
import type { Parsed } from '#contract/api.ts'
import {
  BATCH_MAX,
  BATCHES_SHOWN,
  type DeskPayoutBatch,
  type DeskPayouts,
  type payoutBatchCalls,
} from '#contract/desk/money/payout-batches.ts'
import { Problem } from '#contract/problem.ts'
import { COINS, type Coin } from '#contract/terms.ts'
import { publicId } from '#kernel/id.ts'
import { must } from '#kernel/must.ts'
import {
  inLockOrder,
  insertBatch,
  payWithdrawal,
  putIntoBatch,
  takeOutOfBatch,
  type WithdrawalDone,
  withdrawalsForBatch,
} from '../../../cashier/index.ts'
import { type Db, sql, type Tx } from '../../../platform/database/db.ts'
import { csvFile, csvLine } from '../../../platform/http/csv.ts'
import type { FileReply, Handlers, WhoOperates } from '../../../platform/http/index.ts'
import { auditedItem, notFound, takeItem } from '../../actions/items.ts'
import { type AuditEntry, audited } from '../../audit/audited.ts'
import type { DeskDeps } from '../../deps.ts'
import { dollars, isoOf, readList, readLists } from '../../lists/read.ts'
import { person } from '../queue.ts'
import { stepOf, withdrawals } from './withdrawals.ts'

interface ItemRow {
  id: string
  email: string
  wallet: string
  amount: number
  coin_amount: number
  rate: string
  rate_at: string
  status: 'Unpaid' | 'Paid' | 'Taken out'
  reference: string | null
}
interface BatchRow {
  id: string
  coin: Coin
  created_at: string
  operator: string
  email: string
  items: ItemRow[]
}

/** Selects batches with their withdrawals. `chosen` selects their ids. */
const batchRows = (chosen: ReturnType<typeof sql>) => sql<BatchRow>`
  select b.id::text, b.coin, b.created_at, o.id::text as operator, o.email, (
      select json_agg(json_build_object(
        'id', w.id::text, 'email', u.email, 'wallet', w.wallet, 'amount', w.amount, 'coin_amount', w.coin_amount,
        'rate', w.rate::text, 'rate_at', w.rate_at, 'reference', case when i.removed_at is null then w.reference end,
        'status', case when i.removed_at is not null then 'Taken out' when w.status = 'Paid' then 'Paid' else 'Unpaid' end
      ) order by w.processing_at, w.id)
      from payout_batch_items i join withdrawals w on w.id = i.withdrawal_id join users u on u.id = w.user_id
      where i.batch_id = b.id
    ) as items
  from payout_batches b join operators o on o.id = b.created_by
  where b.id in (${chosen})`

/** Batches that are to be paid, and the newest ones. */
const SHOWN = sql`
  select i.batch_id from withdrawals w join payout_batch_items i on i.withdrawal_id = w.id and i.removed_at is null
  where w.status = 'Processing'
  union (select id from payout_batches order by id desc limit ${sql.lit(BATCHES_SHOWN)})`

function toBatch({ id, coin, created_at, operator, email, items }: BatchRow): DeskPayoutBatch {
  const paid = items.filter(({ status }) => status !== 'Taken out')
  const sum = (of: (item: ItemRow) => number) => paid.reduce((total, item) => total + of(item), 0)
  return {
    id: publicId(BigInt(id)),
    currency: coin,
    created_by: { operator_id: operator, email },
    created_at: isoOf(created_at),
    unpaid: items.filter(({ status }) => status === 'Unpaid').length,
    withdrawals: paid.length,
    amount: dollars(sum((item) => item.amount)),
    coin_amount: Number(sum((item) => item.coin_amount).toFixed(8)),
    items: items.map(({ id: withdrawal, reference, amount, rate_at, ...item }) => ({
      ...item,
      id: publicId(BigInt(withdrawal)),
      amount: dollars(amount),
      rate_time: isoOf(rate_at),
      ...(reference === null ? {} : { transaction_id: reference }),
    })),
  }
}

/** Returns what can be paid in a batch, and the batches that are to be paid or new. */
async function payouts(db: Db): Promise<DeskPayouts> {
  const { ready, batches } = await readLists<{
    ready: { coin: Coin; withdrawals: number; amount: number }
    batches: BatchRow
  }>(db, {
    ready: sql`
      select w.coin, count(*)::int as withdrawals, sum(w.amount)::bigint as amount from withdrawals w
      where w.status = 'Processing' and w.coin is not null
        and not exists (select from payout_batch_items i where i.withdrawal_id = w.id and i.removed_at is null)
      group by w.coin order by w.coin`,
    batches: batchRows(SHOWN),
  })
  const shown = batches.map(toBatch)
  return {
    ready: COINS.map((currency) => {
      const found = ready.find(({ coin }) => coin === currency)
      return { currency, withdrawals: found?.withdrawals ?? 0, amount: dollars(found?.amount ?? 0) }
    }),
    batches: [...shown.filter(({ unpaid }) => unpaid > 0), ...shown.filter(({ unpaid }) => unpaid === 0)],
  }
}

/** Returns one batch. Throws `not_found`. */
async function batchOf(db: Db | Tx, id: bigint): Promise<DeskPayoutBatch> {
  const [row] = await readList<BatchRow>(db, batchRows(sql`${id}`))
  if (!row) throw notFound()
  return toBatch(row)
}

/** Errors that concern all withdrawals, not only one. */
const OF_ALL: readonly string[] = ['payouts_halted', 'price_unavailable']

/** Puts the oldest approved withdrawals of a coin into a batch, without those that can't be paid by this operator now. */
const createBatch = (
  deps: DeskDeps,
  who: WhoOperates,
  { currency }: Parsed<'POST /desk/payout-batches', 'body'>,
): Promise<DeskPayoutBatch> =>
  audited(deps.db, who, async (tx) => {
    const batch = { id: deps.cashier.newId(), coin: currency }
    await insertBatch(tx, { ...batch, created_by: who.operatorId })
    const taken: bigint[] = []
    for (const id of await withdrawalsForBatch(tx, currency, BATCH_MAX)) {
      try {
        await takeItem(tx, withdrawals, id, who, { ends: true })
        await putIntoBatch(deps.cashier, tx, { withdrawalId: id, operator: person(who), batch })
        taken.push(id)
      } catch (error) {
        if (!(error instanceof Problem) || OF_ALL.includes(error.code)) throw error
      }
    }
    if (taken.length === 0) throw new Problem('wrong_state', `You can pay no withdrawal in ${currency} in a batch now.`)
    return {
      answer: await batchOf(tx, batch.id),
      entry: {
        action: 'create',
        item: auditedBatch(batch.id),
        after: { currency, withdrawals: taken.map(publicId) },
      },
    }
  })

const auditedBatch = (id: bigint) => ({ kind: 'payout-batches', id: publicId(id) })

/**
 * Does the same with withdrawals of a batch in one transaction: all of them or none. Each is in the audit log. An error
 * names its withdrawal.
 */
const withEach = (
  deps: DeskDeps,
  who: WhoOperates,
  { batchId, ids, action }: { batchId: bigint; ids: readonly bigint[]; action: string },
  work: (tx: Tx, id: bigint) => Promise<{ done: WithdrawalDone; why?: string }>,
): Promise<DeskPayoutBatch> =>
  audited(deps.db, who, async (tx) => {
    const entries: AuditEntry[] = []
    const ordered = await inLockOrder(tx, ids)
    if (ordered.length < ids.length) throw notFound()
    for (const id of ordered) {
      try {
        const item = await takeItem(tx, withdrawals, id, who, { ends: true })
        const { done, why } = await work(tx, id)
        entries.push({
          action,
          item: auditedItem('withdrawals', id),
          userId: item.userId,
          ...stepOf(done),
          why: why ?? `Batch ${publicId(batchId)}`,
        })
      } catch (error) {
        throw error instanceof Problem ? new Problem(error.code, `${publicId(id)}: ${error.message}`) : error
      }
    }
    return { answer: await batchOf(tx, batchId), entry: entries }
  })

async function payBatch(
  deps: DeskDeps,
  who: WhoOperates,
  batchId: bigint,
  { payments }: Parsed<'POST /desk/payout-batches/:id/paid', 'body'>,
): Promise<DeskPayoutBatch> {
  const references = new Map(payments.flatMap((one) => one.withdrawals.map((id) => [id, one.transaction_id] as const)))
  await batchOf(deps.db, batchId)
  return withEach(deps, who, { batchId, ids: [...references.keys()], action: 'paid' }, async (tx, withdrawalId) => {
    const reference = must(references.get(withdrawalId))
    const done = await payWithdrawal(deps.cashier, tx, { withdrawalId, operator: person(who), reference, batchId })
    return { done, why: reference }
  })
}

async function takeOut(
  deps: DeskDeps,
  who: WhoOperates,
  batchId: bigint,
  { withdrawals: ids }: Parsed<'POST /desk/payout-batches/:id/take-out', 'body'>,
): Promise<DeskPayoutBatch> {
  await batchOf(deps.db, batchId)
  return withEach(deps, who, { batchId, ids, action: 'take-out' }, async (tx, withdrawalId) => ({
    done: await takeOutOfBatch(deps.cashier, tx, { withdrawalId, operator: person(who), batchId }),
  }))
}

/** Returns the file for a wallet, without a byte order mark. Each download is audited. Throws `not_found`, `wrong_state`. */
const batchFile = (deps: DeskDeps, who: WhoOperates, id: bigint): Promise<FileReply> =>
  audited(deps.db, who, async (tx) => {
    const { currency, items } = await batchOf(tx, id)
    const unpaid = items.filter(({ status }) => status === 'Unpaid')
    if (unpaid.length === 0) throw new Problem('wrong_state', 'Nothing of this batch is to be paid any more.')
    const lines = unpaid.map((item) => csvLine([item.wallet, { digits: item.coin_amount.toFixed(8) }, item.id]))
    return {
      answer: csvFile(
        `payout-${currency}-${publicId(id)}`,
        Readable.from([csvLine(['address', 'amount', 'reference']), ...lines]),
      ),
      entry: { action: 'download', item: auditedBatch(id), after: { withdrawals: unpaid.length } },
    }
  })

/** The routes of payout batches. */
export const payoutBatchRoutes = (deps: DeskDeps): Handlers<keyof typeof payoutBatchCalls> => ({
  'GET /desk/payout-batches': async () => ({ status: true, data: await payouts(deps.db) }),
  'POST /desk/payout-batches': async ({ who, body }) => ({ status: true, data: await createBatch(deps, who, body) }),
  'GET /desk/payout-batches/:id/file': ({ who, params }) => batchFile(deps, who, params.id),
  'POST /desk/payout-batches/:id/paid': async ({ who, params, body }) => ({
    status: true,
    data: await payBatch(deps, who, params.id, body),
  }),
  'POST /desk/payout-batches/:id/take-out': async ({ who, params, body }) => ({
    status: true,
    data: await takeOut(deps, who, params.id, body),
  }),
})
