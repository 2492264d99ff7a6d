import { DeskInboxItem } from '#contract/desk/inbox.ts'
import { FileReply, type Handlers } from '../../platform/http/index.ts'
import type { DeskDeps } from '../deps.ts'
import { listFile } from '../lists/lists.ts'
import { inbox } from './inbox.ts'
import { QUEUES } from './index.ts'
import {
  proposeInstrument,
  proposeInstrumentClosing,
  proposeInstrumentReopening,
  proposeInstrumentTerms,
  proposeInstrumentWithdrawal,
} from './markets/instrument-changes.ts'
import { proposeLeverRelease } from './markets/lever-releases.ts'
import { proposePriceLists, tryPriceLists } from './markets/price-lists.ts'
import { proposeStrategyRestart } from './markets/strategy-restarts.ts'
import { proposeAdjustment } from './money/adjustments.ts'
import { proposeCapitalMove } from './money/capital-moves.ts'
import { paymentProofPicture } from './money/deposits.ts'
import { proposePayoutResumption } from './money/payout-resumptions.ts'
import { proposeReversal } from './money/reversals.ts'
import { recordUnknownCoins } from './money/unknown-deposits.ts'
import { bankDetails } from './money/withdrawals.ts'
import { overview } from './overview.ts'
import { proposeMatchLift, proposeUnlock } from './people/account-changes.ts'
import { conversation, typeInChat } from './people/chats.ts'
import { remedyPreview } from './people/complaints.ts'
import { requestFactorReset } from './people/factor-resets.ts'
import { identityPicture } from './people/identity-checks.ts'
import { proposeProofKey, waitingProofKeys } from './proof-keys.ts'
import { type HandledCalls, queueHandlers } from './queue.ts'

/** The calls of the start. */
type StartCalls = 'GET /desk/overview' | 'GET /desk/inbox'
type PeopleCalls =
  | 'GET /desk/identity-checks/:id/file'
  | 'GET /desk/chats/:id'
  | 'POST /desk/chats/:id/typing'
  | 'GET /desk/complaints/:id/remedy'
  | 'POST /desk/users/:id/factor-resets'
  | 'POST /desk/users/:id/unlocks'
  | 'POST /desk/users/:id/match-lifts'
type MoneyCalls =
  | 'GET /desk/deposits/:id/receipt'
  | 'GET /desk/withdrawals/:id/bank'
  | 'POST /desk/users/:id/adjustments'
  | 'POST /desk/deposits/:id/reverse'
  | 'POST /desk/unknown-deposits'
  | 'POST /desk/capital-moves'
  | 'POST /desk/payout-resumptions'
type MarketCalls =
  | 'POST /desk/lever-releases'
  | 'POST /desk/price-lists/dry-run'
  | 'POST /desk/price-lists'
  | 'POST /desk/strategy-restarts'
  | 'POST /desk/instruments'
  | 'POST /desk/instruments/change'
  | 'POST /desk/instruments/withdraw'
  | 'POST /desk/instruments/close'
  | 'POST /desk/instruments/reopen'
type ProofKeyCalls = 'GET /desk/waiting-proof-keys' | 'POST /desk/proof-keys'
/** The calls that only one queue has. */
type OwnCalls = PeopleCalls | MoneyCalls | MarketCalls | ProofKeyCalls

/** The routes of the queues: those that every queue has, and those of one queue only. */
export const queueRoutes = (
  deps: DeskDeps,
): Handlers<HandledCalls<(typeof QUEUES)[number]> | StartCalls | OwnCalls> => ({
  ...Object.assign({}, ...QUEUES.map((queue) => queueHandlers(deps, queue))),
  ...startRoutes(deps),
  ...peopleRoutes(deps),
  ...moneyRoutes(deps),
  ...marketRoutes(deps),
  ...proofKeyRoutes(deps),
})

const startRoutes = (deps: DeskDeps): Handlers<StartCalls> => ({
  'GET /desk/overview': async ({ who }) => ({ status: true, data: await overview(deps, who) }),
  'GET /desk/inbox': async ({ who, query }) => {
    const data = await inbox({ db: deps.reads }, who, query, deps.clock.now())
    return query.format === 'csv' ? listFile('inbox', DeskInboxItem, [data]) : { status: true, data }
  },
})

const peopleRoutes = (deps: DeskDeps): Handlers<PeopleCalls> => ({
  'GET /desk/identity-checks/:id/file': async ({ who, params }) =>
    picture(await identityPicture(deps, who, params.id), 'id.jpg'),
  'GET /desk/chats/:id': async ({ who, params }) => ({
    status: true,
    data: await conversation(deps, who, params.id),
  }),
  'POST /desk/chats/:id/typing': async ({ who, params }) => {
    await typeInChat(deps, who, params.id)
    return { status: true, message: 'Shown to the visitor.' }
  },
  'GET /desk/complaints/:id/remedy': async ({ params, query }) => ({
    status: true,
    data: await remedyPreview(deps, params.id, query.tick),
  }),
  'POST /desk/users/:id/factor-resets': async ({ who, params, body }) => ({
    status: true,
    data: await requestFactorReset(deps, who, params.id, body.reason),
  }),
  'POST /desk/users/:id/unlocks': async ({ who, params, body }) => ({
    status: true,
    data: await proposeUnlock(deps, who, params.id, body),
  }),
  'POST /desk/users/:id/match-lifts': async ({ who, params, body }) => ({
    status: true,
    data: await proposeMatchLift(deps, who, params.id, body),
  }),
})

const moneyRoutes = (deps: DeskDeps): Handlers<MoneyCalls> => ({
  'GET /desk/deposits/:id/receipt': async ({ who, params }) =>
    picture(await paymentProofPicture(deps, who, params.id), 'receipt.jpg'),
  'GET /desk/withdrawals/:id/bank': async ({ who, params }) => ({
    status: true,
    data: await bankDetails(deps, who, params.id),
  }),
  'POST /desk/users/:id/adjustments': async ({ who, params, body }) => {
    const { book: mode, amount, reason } = body
    return { status: true, data: await proposeAdjustment(deps, who, params.id, { mode, amount, reason }) }
  },
  'POST /desk/deposits/:id/reverse': async ({ who, params, body }) => ({
    status: true,
    data: await proposeReversal(deps, who, params.id, body),
  }),
  'POST /desk/unknown-deposits': async ({ who, body }) => ({
    status: true,
    data: await recordUnknownCoins(deps, who, body),
  }),
  'POST /desk/capital-moves': async ({ who, body }) => ({
    status: true,
    data: await proposeCapitalMove(deps, who, body),
  }),
  'POST /desk/payout-resumptions': async ({ who, body }) => ({
    status: true,
    data: await proposePayoutResumption(deps, who, body),
  }),
})

const marketRoutes = (deps: DeskDeps): Handlers<MarketCalls> => ({
  'POST /desk/lever-releases': async ({ who, body }) => ({
    status: true,
    data: await proposeLeverRelease(deps, who, body),
  }),
  'POST /desk/price-lists/dry-run': async ({ body }) => ({
    status: true,
    data: await tryPriceLists(deps, body.document),
  }),
  'POST /desk/price-lists': async ({ who, body }) => ({
    status: true,
    data: await proposePriceLists(deps, who, body),
  }),
  'POST /desk/strategy-restarts': async ({ who, body }) => ({
    status: true,
    data: await proposeStrategyRestart(deps, who, body),
  }),
  'POST /desk/instruments': async ({ who, body }) => ({
    status: true,
    data: await proposeInstrument(deps, who, body),
  }),
  'POST /desk/instruments/change': async ({ who, body }) => ({
    status: true,
    data: await proposeInstrumentTerms(deps, who, body),
  }),
  'POST /desk/instruments/withdraw': async ({ who, body }) => ({
    status: true,
    data: await proposeInstrumentWithdrawal(deps, who, body),
  }),
  'POST /desk/instruments/close': async ({ who, body }) => ({
    status: true,
    data: await proposeInstrumentClosing(deps, who, body),
  }),
  'POST /desk/instruments/reopen': async ({ who, body }) => ({
    status: true,
    data: await proposeInstrumentReopening(deps, who, body),
  }),
})

const proofKeyRoutes = (deps: DeskDeps): Handlers<ProofKeyCalls> => ({
  'GET /desk/waiting-proof-keys': async () => ({ status: true, data: await waitingProofKeys(deps.db) }),
  'POST /desk/proof-keys': async ({ who, body }) => ({ status: true, data: await proposeProofKey(deps, who, body) }),
})

const picture = (image: Buffer, name: string) =>
  new FileReply(image, 'image/jpeg', {
    'content-disposition': `inline; filename="${name}"`,
    'cross-origin-resource-policy': 'same-origin',
  })
