import { type chatCalls, DeskChat } from '#contract/desk/chats.ts'
import { DeskIdentityCheck, type identityCheckCalls } from '#contract/desk/identity-checks.ts'
import { DeskMessage, type messageCalls } from '#contract/desk/messages.ts'
import type { overviewCalls } from '#contract/desk/overview.ts'
import { DeskPlanRequest, type planRequestCalls } from '#contract/desk/plan-requests.ts'
import type { ClaimedQueue } from '#contract/desk/terms.ts'
import { assert } from '#kernel/assert.ts'
import { approveCheck, rejectCheck } from '../../kyc/index.ts'
import { approvePlanRequest, rejectPlanRequest } from '../../plans/index.ts'
import { FileReply, type Handlers, type WhoOperates } from '../../platform/http/index.ts'
import { act, claim, release } from '../actions/act.ts'
import { type Item, numberOf, type QueueFilter } from '../actions/items.ts'
import type { DeskDeps } from '../deps.ts'
import { answerList } from '../lists/lists.ts'
import type { Page } from '../lists/read.ts'
import { chats, conversation, typeInChat } from './chats.ts'
import { identityChecks, identityPicture } from './identity-checks.ts'
import { closeMessage, messages, replyToMessage } from './messages.ts'
import { overview } from './overview.ts'
import { planRequests } from './plan-requests.ts'

type AnyCall = { who: WhoOperates; params: { id: string } }

/** The routes that claim and release an item of a queue. */
export const claimHandlers = (deps: DeskDeps, queue: ClaimedQueue) => ({
  claim: async ({ who, params }: AnyCall) => {
    await claim(deps, who, queue, params.id)
    return { status: true, message: 'It is yours to work on.' } as const
  },
  release: async ({ who, params }: AnyCall) => {
    await release(deps, who, queue, params.id)
    return { status: true, message: 'Released. Anyone can claim it.' } as const
  },
})

/** Returns an item as its list shows it, after an action on it. */
export async function shown<T>(
  deps: DeskDeps,
  who: WhoOperates,
  item: Item,
  list: (db: DeskDeps['db'], who: WhoOperates, filter: QueueFilter, page: Page) => Promise<T[]>,
): Promise<{ status: true; data: T }> {
  const [data] = await list(deps.reads, who, { id: item.id }, { after: undefined, limit: 1 })
  assert(data, 'what was acted on is there')
  return { status: true, data }
}

const PENDING = { status: 'Pending' }
const APPROVED = { status: 'Approved' }
const REJECTED = { status: 'Rejected' }

/** The routes for identity checks, plan requests, messages, live chats and the overview. */
export function queueRoutes(
  deps: DeskDeps,
): Handlers<
  | keyof typeof identityCheckCalls
  | keyof typeof planRequestCalls
  | keyof typeof messageCalls
  | keyof typeof chatCalls
  | keyof typeof overviewCalls
> {
  const { reads } = deps
  const checks = claimHandlers(deps, 'identity-checks')
  const requests = claimHandlers(deps, 'plan-requests')
  const mails = claimHandlers(deps, 'messages')
  const talks = claimHandlers(deps, 'chats')
  return {
    'GET /desk/overview': async ({ who }) => ({ status: true, data: await overview(deps, who) }),

    'GET /desk/identity-checks': ({ who, query }) =>
      answerList('identity-checks', DeskIdentityCheck, query, (page) => identityChecks(reads, who, query, page)),
    'GET /desk/identity-checks/:id/file': async ({ who, params }) =>
      new FileReply(await identityPicture(deps, who, params.id), 'image/jpeg', {
        'content-disposition': 'inline; filename="id.jpg"',
        'cross-origin-resource-policy': 'same-origin',
      }),
    'POST /desk/identity-checks/:id/claim': checks.claim,
    'POST /desk/identity-checks/:id/release': checks.release,
    'POST /desk/identity-checks/:id/approve': async ({ who, params }) => {
      const item = await act(
        deps,
        who,
        { queue: 'identity-checks', id: params.id, action: 'approve' },
        async (tx, { id }) => {
          await approveCheck(deps.kyc, tx, id)
          return { before: PENDING, after: APPROVED }
        },
      )
      return shown(deps, who, item, identityChecks)
    },
    'POST /desk/identity-checks/:id/reject': async ({ who, params, body }) => {
      const asked = { queue: 'identity-checks', id: params.id, action: 'reject', why: body.reason } as const
      const item = await act(deps, who, asked, async (tx, { id }) => {
        await rejectCheck(deps.kyc, tx, id, body.reason)
        return { before: PENDING, after: REJECTED }
      })
      return shown(deps, who, item, identityChecks)
    },

    'GET /desk/plan-requests': ({ who, query }) =>
      answerList('plan-requests', DeskPlanRequest, query, (page) => planRequests(reads, who, query, page)),
    'POST /desk/plan-requests/:id/claim': requests.claim,
    'POST /desk/plan-requests/:id/release': requests.release,
    'POST /desk/plan-requests/:id/approve': async ({ who, params }) => {
      const item = await act(
        deps,
        who,
        { queue: 'plan-requests', id: params.id, action: 'approve' },
        async (tx, { id }) => {
          const { from, plan } = await approvePlanRequest(deps.plans, tx, id)
          return { before: { ...PENDING, trading_plan: from }, after: { ...APPROVED, trading_plan: plan } }
        },
      )
      return shown(deps, who, item, planRequests)
    },
    'POST /desk/plan-requests/:id/reject': async ({ who, params, body }) => {
      const asked = { queue: 'plan-requests', id: params.id, action: 'reject', why: body.reason } as const
      const item = await act(deps, who, asked, async (tx, { id }) => {
        await rejectPlanRequest(deps.plans, tx, id, body.reason)
        return { before: PENDING, after: REJECTED }
      })
      return shown(deps, who, item, planRequests)
    },

    'GET /desk/messages': ({ who, query }) =>
      answerList('messages', DeskMessage, query, (page) => messages(reads, who, query, page)),
    'POST /desk/messages/:id/claim': mails.claim,
    'POST /desk/messages/:id/release': mails.release,
    'POST /desk/messages/:id/reply': async ({ who, params, body }) => {
      const item = await act(deps, who, { queue: 'messages', id: params.id, action: 'reply' }, (tx, found) =>
        replyToMessage(deps, tx, who, found, body.text),
      )
      return shown(deps, who, item, messages)
    },
    'POST /desk/messages/:id/close': async ({ who, params }) => {
      const item = await act(deps, who, { queue: 'messages', id: params.id, action: 'close' }, closeMessage)
      return shown(deps, who, item, messages)
    },

    'GET /desk/chats': ({ who, query }) =>
      answerList('chats', DeskChat, query, (page) => chats({ ...deps, db: reads }, who, query, page)),
    'GET /desk/chats/:id': async ({ who, params }) => ({
      status: true,
      data: await conversation(deps, who, numberOf(params.id)),
    }),
    'POST /desk/chats/:id/claim': talks.claim,
    'POST /desk/chats/:id/release': talks.release,
    'POST /desk/chats/:id/reply': async ({ who, params, body }) => {
      const asked = { queue: 'chats', id: params.id, action: 'reply', keeps: true } as const
      const { id } = await act(deps, who, asked, async (tx, item) => {
        const { mailed } = await deps.chat.answer(tx, who, item.id, body.text)
        return { after: { text: body.text, ...(mailed ? { mailed_to: item.email } : {}) } }
      })
      return { status: true, data: await conversation(deps, who, id) }
    },
    'POST /desk/chats/:id/typing': async ({ who, params }) => {
      await typeInChat(deps, who, params.id)
      return { status: true, message: 'Sent to the trader.' }
    },
    'POST /desk/chats/:id/close': async ({ who, params }) => {
      const { id } = await act(deps, who, { queue: 'chats', id: params.id, action: 'close' }, async (tx, item) => {
        await deps.chat.close(tx, item.id)
        return { before: { status: 'Open' }, after: { status: 'Closed' } }
      })
      return { status: true, data: await conversation(deps, who, id) }
    },
  }
}
