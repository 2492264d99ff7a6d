import type { CallName } from '#contract/api.ts'
import { must } from '#kernel/must.ts'
import type { Db } from '../../platform/database/db.ts'
import type { Handlers, WhoOperates } from '../../platform/http/index.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList, type ListQuery } from '../lists/lists.ts'
import { withOpen } from '../lists/open.ts'
import type { Page, QueueFilter } from '../lists/read.ts'
import type { ProposalDecision, ProposalKind } from './define-proposal.ts'

/** The calls of a kind of proposal: its list and its decisions. */
export type ProposalCalls<Kind extends string> = `GET /desk/${Kind}` | DecisionCalls<Kind>
type DecisionCalls<Path extends string> = `POST /desk/${Path}/:id/${'approve' | 'reject'}`

type Kind<Name extends string> = Pick<
  ProposalKind<Name, { id: string }, never, never>,
  'name' | 'schema' | 'list' | 'decide'
>
interface Call {
  who: WhoOperates
  params: { id: bigint }
  query: ListQuery & QueueFilter
  /** An approval has none, or one that says what its second person acknowledges. */
  body?: { reason: string; acknowledged?: string | null }
  /** Only where the list may lag. */
  reads?: Db
}

/** Returns the handlers of the list and the decisions of a kind of proposal. */
export const proposalHandlers = <Name extends string>(deps: DeskDeps, kind: Kind<Name>) =>
  ({
    [`GET /desk/${kind.name}`]: ({ who, query, reads }: Call) =>
      answerList(kind.name, kind.schema, query, (page: Page) =>
        kind.list(reads ?? deps.db, who, withOpen(kind.name, query), page),
      ),
    ...decisionHandlers(deps, kind, kind.name),
  }) as unknown as Handlers<Extract<ProposalCalls<Name>, CallName>>

/** Returns the handlers of the decisions alone. */
export function decisionHandlers<Path extends string>(
  deps: DeskDeps,
  kind: Pick<Kind<string>, 'decide'>,
  path: Path,
): Handlers<Extract<DecisionCalls<Path>, CallName>> {
  const to = async ({ who, params }: Call, decision: ProposalDecision) => ({
    status: true,
    data: await kind.decide(deps, who, params.id, decision),
  })
  const handlers: object = {
    [`POST /desk/${path}/:id/approve`]: (call: Call) =>
      to(call, { status: 'Approved', acknowledged: call.body?.acknowledged ?? undefined }),
    [`POST /desk/${path}/:id/reject`]: (call: Call) => to(call, { status: 'Rejected', reason: must(call.body).reason }),
  }
  return handlers as Handlers<Extract<DecisionCalls<Path>, CallName>>
}
