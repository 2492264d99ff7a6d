import type { RawBuilder } from 'kysely'
import type { CallName, Parsed, Reply } from '#contract/api.ts'
import type { ClaimedQueue, Queue } from '#contract/desk/terms.ts'
import { assert } from '#kernel/assert.ts'
import type { Db, Tx } from '../../platform/database/db.ts'
import type { Handlers, WhoOperates } from '../../platform/http/index.ts'
import { act, claim, release, type Step } from '../actions/act.ts'
import { type Item, type ItemSource, parseItemId } from '../actions/items.ts'
import { type ProposalCalls, proposalHandlers } from '../actions/proposal-handlers.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList, type ListQuery } from '../lists/lists.ts'
import { withOpen } from '../lists/open.ts'
import { type List, type Page, type QueueFilter, readList } from '../lists/read.ts'

/** An item of a queue, as its list returns it. */
type ItemOf<Q extends Queue> =
  Reply<`GET /desk/${Q}`> extends { data: (infer One extends { id: string })[] } ? One : never
type DataOf<C extends CallName> = Reply<C> extends { data: infer Data } ? Data : never

/** What every queue has. */
interface AnyQueue<Q extends Queue = Queue, Row = unknown> {
  name: Q
  /** The item's schema. Its fields are the columns of the CSV file. */
  schema: { shape: Record<string, unknown> }
  /**
   * Selects pending items for overview and inbox: id, since when, amount in cents, the account that they concern, whether a
   * second person completes them, and what they are about.
   */
  pending: RawBuilder<unknown>
  rows(filter: QueueFilter, page: Page, who: WhoOperates): List<Row>
  view(row: Row, who: WhoOperates): ItemOf<Q>
  /** Adds what isn't in the database. */
  complete?(items: ItemOf<Q>[], deps: Pick<DeskDeps, 'chat'>): Promise<ItemOf<Q>[]>
}

/** An action on a claimed item. */
interface QueueAction<C extends CallName> {
  /** More actions follow: the operator keeps their claim. */
  keeps?: true
  /** Runs before the transaction of the action. */
  prepare?(deps: DeskDeps, who: WhoOperates, id: bigint): Promise<void>
  step(tx: Tx, item: Item, call: { deps: DeskDeps; who: WhoOperates; body: Parsed<C, 'body'> }): Promise<Step>
  /** Returns the response; by default the item. */
  answer?(deps: DeskDeps, who: WhoOperates, id: bigint): Promise<DataOf<C>>
}
type ActionName<Q extends Queue, C> = C extends `POST /desk/${Q}/:id/${infer Name}`
  ? Exclude<Name, 'claim' | 'release'>
  : never

/** A queue whose items one operator at a time works on. `C` names its calls. */
export interface Claimed<Q extends ClaimedQueue, C extends CallName, Row> extends AnyQueue<Q, Row>, ItemSource {
  name: Q
  /** For the compiler only. */
  calls?: C
  actions: { [Name in ActionName<Q, C>]: QueueAction<Extract<C, `POST /desk/${Q}/:id/${Name}`>> }
}

/** The operator, as the rooms know them. */
export const person = (who: WhoOperates) => ({ id: who.operatorId, email: who.email })

/** The calls that a queue's handlers cover. */
type CallsOf<Q extends Queue, C> = Extract<C, `GET /desk/${Q}` | `POST /desk/${Q}/:id/${string}`>
interface AnyCall {
  who: WhoOperates
  params: { id: bigint }
  query: ListQuery & QueueFilter
  body: never
  reads: Db
}

/** Lists the items of a queue. */
async function listOf<Q extends Queue, Row>(
  deps: Pick<DeskDeps, 'chat'> & { db: Db | Tx },
  queue: AnyQueue<Q, Row>,
  who: WhoOperates,
  { filter, page }: { filter: QueueFilter; page: Page },
): Promise<ItemOf<Q>[]> {
  const rows = await readList(deps.db, queue.rows(filter, page, who))
  const items = rows.map((row) => queue.view(row, who))
  return queue.complete ? queue.complete(items, deps) : items
}

/** Returns one item of a queue, or undefined. */
export const oneOf = async <Q extends Queue, Row>(
  deps: Pick<DeskDeps, 'chat'> & { db: Db | Tx },
  queue: AnyQueue<Q, Row>,
  who: WhoOperates,
  id: bigint,
): Promise<ItemOf<Q> | undefined> =>
  (await listOf(deps, queue, who, { filter: { id }, page: { after: undefined, limit: 1 } }))[0]

/** The calls that the handlers of a queue cover. */
export type HandledCalls<D> = D extends { name: infer Kind extends string; decide: unknown }
  ? Extract<ProposalCalls<Kind>, CallName>
  : D extends { name: infer Q extends Queue; calls?: infer C }
    ? CallsOf<Q, C>
    : never

/** Returns the handlers of a queue: its list, and its claims and actions or decisions. */
export const queueHandlers = (deps: DeskDeps, queue: object): object =>
  'decide' in queue
    ? proposalHandlers(deps, queue as Parameters<typeof proposalHandlers>[1])
    : claimedHandlers(deps, queue as Claimed<ClaimedQueue, CallName, unknown>)

/** Returns the handlers of a queue's list, claims and actions. */
function claimedHandlers<Q extends ClaimedQueue, C extends CallName, Row>(
  deps: DeskDeps,
  queue: Claimed<Q, C, Row>,
): Handlers<CallsOf<Q, C>> {
  const { name } = queue
  const actions = Object.entries<QueueAction<CallName>>(queue.actions).map(
    ([action, { keeps, prepare, step, answer }]) => [
      `POST /desk/${name}/:id/${action}`,
      async ({ who, params, body }: AnyCall) => {
        await prepare?.(deps, who, params.id)
        const call = { queue, id: params.id, action, keeps: keeps ?? false }
        const { id } = await act(deps, who, call, (tx, item) => step(tx, item, { deps, who, body }))
        const data = answer ? await answer(deps, who, id) : await oneOf({ ...deps, db: deps.reads }, queue, who, id)
        assert(data, 'what was acted on is there')
        return { status: true, data }
      },
    ],
  )
  return {
    ...listHandler(deps, queue),
    [`POST /desk/${name}/:id/claim`]: async ({ who, params }: AnyCall) => {
      await claim(deps, who, queue, params.id)
      return { status: true, message: 'Claimed.' }
    },
    [`POST /desk/${name}/:id/release`]: async ({ who, params }: AnyCall) => {
      await release(deps, who, queue, params.id)
      return { status: true, message: 'Released.' }
    },
    ...Object.fromEntries(actions),
  } as Handlers<CallsOf<Q, C>>
}

const listHandler = <Q extends Queue, Row>(deps: DeskDeps, queue: AnyQueue<Q, Row>) => ({
  [`GET /desk/${queue.name}`]: ({ who, query, reads }: AnyCall) => {
    const read = (page: Page) =>
      listOf({ ...deps, db: reads }, queue, who, { filter: withOpen(queue.name, query), page })
    return answerList(queue.name, queue.schema, query, read, (id) => parseItemId(queue.name, id))
  },
})
