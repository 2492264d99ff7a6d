import * as z from 'zod/mini'
import type * as core from 'zod/v4/core'
import { type Endpoint, listOf, messageReply, replyOf } from '../endpoint.ts'
import { oneOf } from '../fields.ts'
import type { ProblemCode } from '../problem.ts'
import type { OperatorRole } from '../terms.ts'
import { byId, byPublicId, list } from './parts.ts'
import { type ClaimedQueue, QUEUES, type Queue, type QueueTerms, TO_DO } from './terms.ts'

/** An action on an item: `POST /desk/<queue>/:id/<action>`. */
interface ActionTerms {
  summary: string
  body?: core.$ZodType
  /** The response, if it isn't the item. */
  reply?: core.$ZodType
  idempotent?: true
  /** Errors in addition to those of every action of the queue. */
  problems?: readonly ProblemCode[]
}
type Actions = Readonly<Record<string, ActionTerms>>

interface QueueCallTerms<Item, Filter, A> {
  item: Item
  /** The summary of the list. */
  summary: string
  /** The filters of the list, in addition to the status. */
  filter: Filter
  actions: A
}

/** Selects deposits and withdrawals that one operator has approved, of the two whom they take. */
export const approvedOnce = z.optional(oneOf(['once']))

/** With `order=oldest` a queue starts at its oldest item; the default is newest first, as for every list. */
const order = z.optional(oneOf(['oldest']))
const listQuery = <const S extends readonly string[], F extends core.$ZodShape>(statuses: S, filter: F) =>
  z.strictObject({ status: z.optional(oneOf([...statuses, TO_DO])), ...filter, ...list, order })

type Row = { summary: string; access: 'operator'; roles: readonly OperatorRole[]; problems: readonly ProblemCode[] }
type ActionCalls<P extends string, Item extends core.$ZodType, A extends Actions> = {
  [N in keyof A & string as `POST /desk/${P}/:id/${N}`]: Row & {
    params: typeof byId
    reply: A[N] extends { reply: infer R } ? R : ReturnType<typeof replyOf<Item>>
  } & Pick<A[N], keyof A[N] & ('body' | 'idempotent')>
}
type ListCalls<Q extends Queue, Item extends core.$ZodType, F extends core.$ZodShape> = {
  [P in `GET /desk/${Q}`]: Row & {
    mayLag: true
    query: ReturnType<typeof listQuery<(typeof QUEUES)[Q]['statuses'], F>>
    reply: ReturnType<typeof listOf<Item>>
  }
}
type ClaimCalls<Q extends Queue> = {
  [P in `POST /desk/${Q & ClaimedQueue}/:id/${'claim' | 'release'}`]: Row & {
    params: typeof byId
    reply: typeof messageReply
  }
}

const PROBLEMS = {
  claimed: ['not_found', 'wrong_state', 'claimed', 'own_item'],
  proposed: ['not_found', 'wrong_state', 'own_item', 'second_person_required'],
} as const satisfies Record<string, readonly ProblemCode[]>

/** Returns the calls of a queue: its list, its actions, and for claimed items `claim` and `release`. */
export function queueCalls<
  const Q extends Queue,
  Item extends core.$ZodType,
  F extends core.$ZodShape,
  const A extends Actions,
>(
  queue: Q,
  { item, summary, filter, actions }: QueueCallTerms<Item, F, A>,
): ListCalls<Q, Item, F> & ClaimCalls<Q> & ActionCalls<Q, Item, A> {
  const { of, work, sees, acts, statuses } = QUEUES[queue]
  const { publicIds = false }: QueueTerms = QUEUES[queue]
  const article = /^[aeiou]/.test(of) ? 'an' : 'a'
  const claims = {
    claim: { summary: `Claims ${article} ${of}.`, reply: messageReply },
    release: { summary: `Releases ${article} ${of}.`, reply: messageReply },
  }
  return {
    [`GET /desk/${queue}`]: {
      summary,
      access: 'operator',
      mayLag: true,
      roles: sees,
      query: listQuery(statuses, filter),
      reply: listOf(item),
      problems: [],
    },
    ...actionCalls(
      queue,
      { item, acts, problems: PROBLEMS[work], publicIds },
      work === 'claimed' ? { ...claims, ...actions } : actions,
    ),
  } as ListCalls<Q, Item, F> & ClaimCalls<Q> & ActionCalls<Q, Item, A>
}

/** Returns the calls that decide a proposal outside of the queues. */
export const decisionCalls = <const P extends string, Item extends core.$ZodType, const A extends Actions>(
  path: P,
  {
    item,
    acts,
    problems = PROBLEMS.proposed,
  }: { item: Item; acts: readonly OperatorRole[]; problems?: readonly ProblemCode[] },
  actions: A,
) => actionCalls(path, { item, acts, problems }, actions)

function actionCalls<const P extends string, Item extends core.$ZodType, const A extends Actions>(
  path: P,
  common: { item: Item; acts: readonly OperatorRole[]; problems: readonly ProblemCode[]; publicIds?: boolean },
  actions: A,
): ActionCalls<P, Item, A> {
  const rows = Object.entries<ActionTerms>(actions).map(([name, { reply, problems = [], ...action }]) => {
    const row: Endpoint = {
      ...action,
      access: 'operator',
      roles: common.acts,
      params: common.publicIds ? byPublicId : byId,
      reply: reply ?? replyOf(common.item),
      problems: [...common.problems, ...problems, ...(action.idempotent ? (['idempotency_mismatch'] as const) : [])],
    }
    return [`POST /desk/${path}/:id/${name}`, row]
  })
  return Object.fromEntries(rows) as ActionCalls<P, Item, A>
}
