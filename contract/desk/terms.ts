/**
 * The fixed terms of the desk, separate from the schemas that use them, so that a browser can load them alone. `QUEUES`
 * and `PAGES` are the only places that say who sees what and who may act: calls and screens read them.
 */
import {
  COMPLAINT_STATUSES,
  DEPOSIT_STATUSES,
  type OperatorRole,
  PLAN_REQUEST_STATUSES,
  VERIFICATION_STATUSES,
  WITHDRAWAL_STATUSES,
} from '../terms.ts'

export const MESSAGE_STATUSES = ['Open', 'Closed'] as const
export const CHECK_KINDS = ['identity', 'address'] as const
export const PROPOSAL_STATUSES = ['Pending', 'Approved', 'Rejected'] as const
export const FACTOR_RESET_STATUSES = ['Pending', 'Approved', 'Rejected', 'Stopped', 'Done'] as const
export const INSTRUMENT_CHANGES = ['add', 'change', 'close', 'reopen', 'withdraw'] as const
export type InstrumentChangeKind = (typeof INSTRUMENT_CHANGES)[number]
export const VENUE_SWITCH_STATUSES = ['Pending', 'Approved', 'Rejected', 'Withdrawn', 'Done'] as const
export const PAYOUT_ITEM_STATUSES = ['Unpaid', 'Paid', 'Taken out'] as const
export const ACCOUNT_CHANGES = ['unlock', 'exclude', 'lift-match'] as const
/** Open, a lift is proposed, kept on hold, lifted, or the exclusion is over. */
export const EXCLUSION_MATCH_STATUSES = ['Open', 'Proposed', 'Kept', 'Lifted', 'Over'] as const
/** Open, a return is proposed, assigned to a trader as a pending deposit, credited, or sent back. */
export const UNKNOWN_DEPOSIT_STATUSES = ['Open', 'Proposed', 'Assigned', 'Credited', 'Returned'] as const
export const LOCKS = ['trading', 'deposits', 'withdrawals', 'sign_in'] as const
export type LockKind = (typeof LOCKS)[number]
/** Minutes without an action after which a claim expires. */
export const CLAIM_MINUTES = 30

/** What calls and screens know of a queue. */
export interface QueueTerms {
  title: string
  /** The singular name of an item. */
  of: string
  /** Claimed: one operator at a time works on an item. Proposed: one operator proposes it, another decides. */
  work: 'claimed' | 'proposed'
  statuses: readonly string[]
  /** The statuses that still need an operator. The queue opens with all of them. */
  open: readonly [string, ...string[]]
  /** Items may need an operator in other statuses too, so the open ones aren't those of one status. */
  opensOthers?: true
  /** The query of the items that wait for a second person, which the open ones start with. */
  second?: Readonly<Record<string, string>>
  sees: readonly OperatorRole[]
  acts: readonly OperatorRole[]
  /** Its items have the public ids that their owners see, instead of row numbers. */
  publicIds?: boolean
}

/** Every queue of the desk, by its name in paths, in the order of the navigation. */
export const QUEUES = {
  'identity-checks': {
    title: 'Identity checks',
    of: 'identity check',
    work: 'claimed',
    statuses: VERIFICATION_STATUSES,
    open: ['Pending'],
    sees: ['compliance', 'auditor'],
    acts: ['compliance'],
  },
  deposits: {
    title: 'Deposits',
    of: 'deposit',
    work: 'claimed',
    statuses: DEPOSIT_STATUSES,
    open: ['Pending'],
    // Rejected ones whose trader has paid by card nevertheless.
    opensOthers: true,
    second: { status: 'Pending', approved: 'once' },
    sees: ['finance', 'auditor'],
    acts: ['finance'],
    publicIds: true,
  },
  'unknown-deposits': {
    title: 'Unknown deposits',
    of: 'unknown deposit',
    work: 'claimed',
    statuses: UNKNOWN_DEPOSIT_STATUSES,
    open: ['Open', 'Proposed'],
    second: { status: 'Proposed' },
    sees: ['finance', 'auditor'],
    acts: ['finance'],
  },
  withdrawals: {
    title: 'Withdrawals',
    of: 'withdrawal',
    work: 'claimed',
    statuses: WITHDRAWAL_STATUSES,
    open: ['Pending', 'Processing'],
    second: { status: 'Pending', approved: 'once' },
    sees: ['finance', 'auditor'],
    acts: ['finance'],
    publicIds: true,
  },
  'plan-requests': {
    title: 'Plan requests',
    of: 'plan request',
    work: 'claimed',
    statuses: PLAN_REQUEST_STATUSES,
    open: ['Pending'],
    sees: ['finance', 'auditor'],
    acts: ['finance'],
  },
  complaints: {
    title: 'Complaints',
    of: 'complaint',
    work: 'claimed',
    statuses: COMPLAINT_STATUSES,
    open: ['Open', 'Proposed'],
    second: { status: 'Proposed' },
    sees: ['risk', 'finance', 'support', 'auditor'],
    acts: ['risk', 'finance'],
  },
  adjustments: {
    title: 'Adjustments',
    of: 'adjustment',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['finance', 'auditor'],
    acts: ['finance'],
  },
  reversals: {
    title: 'Reversals',
    of: 'reversal',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['finance', 'auditor'],
    acts: ['finance'],
  },
  'payout-resumptions': {
    title: 'Payout resumptions',
    of: 'payout resumption',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['finance', 'admin', 'auditor'],
    acts: ['finance'],
  },
  'factor-resets': {
    title: 'Second factor resets',
    of: 'second factor reset',
    work: 'proposed',
    statuses: FACTOR_RESET_STATUSES,
    open: ['Pending'],
    sees: ['compliance', 'auditor'],
    acts: ['compliance'],
  },
  'account-changes': {
    title: 'Account changes',
    of: 'account change',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['compliance', 'risk', 'support', 'auditor'],
    acts: ['compliance', 'risk', 'support'],
  },
  'exclusion-matches': {
    title: 'Exclusion matches',
    of: 'exclusion match',
    work: 'claimed',
    statuses: EXCLUSION_MATCH_STATUSES,
    open: ['Open', 'Proposed'],
    second: { status: 'Proposed' },
    sees: ['compliance', 'auditor'],
    acts: ['compliance'],
  },
  'lever-releases': {
    title: 'Emergency releases',
    of: 'emergency release',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['risk', 'finance', 'admin', 'auditor'],
    acts: ['risk', 'finance'],
  },
  'strategy-restarts': {
    title: 'Strategy restarts',
    of: 'strategy restart',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['risk', 'admin', 'auditor'],
    acts: ['risk'],
  },
  'instrument-changes': {
    title: 'Instrument changes',
    of: 'instrument change',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['admin', 'risk', 'auditor'],
    acts: ['admin'],
  },
  'venue-switches': {
    title: 'Exchange switches',
    of: 'exchange switch',
    work: 'proposed',
    statuses: VENUE_SWITCH_STATUSES,
    open: ['Pending'],
    sees: ['risk', 'admin', 'auditor'],
    acts: ['risk'],
  },
  'price-lists': {
    title: 'Price list changes',
    of: 'change of price lists',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['admin', 'risk', 'auditor'],
    acts: ['admin'],
  },
  'capital-moves': {
    title: 'House capital',
    of: 'movement of capital',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['admin', 'finance', 'risk', 'auditor'],
    acts: ['admin'],
  },
  'proof-keys': {
    title: 'Keys of receipts',
    of: 'key of receipts',
    work: 'proposed',
    statuses: PROPOSAL_STATUSES,
    open: ['Pending'],
    sees: ['admin', 'auditor'],
    acts: ['admin'],
  },
  chats: {
    title: 'Chats',
    of: 'chat',
    work: 'claimed',
    statuses: MESSAGE_STATUSES,
    open: ['Open'],
    sees: ['support', 'auditor'],
    acts: ['support'],
  },
  messages: {
    title: 'Messages',
    of: 'message',
    work: 'claimed',
    statuses: MESSAGE_STATUSES,
    open: ['Open'],
    sees: ['support', 'auditor'],
    acts: ['support'],
  },
} as const satisfies Record<string, QueueTerms>

/** The steps that take an item off an operator's hands, as the audit log names them. */
export const DONE_STEPS = ['approve', 'reject', 'paid', 'reply', 'close', 'assign', 'keep'] as const

/** The periods of the figures of the business and of their rows, in UTC days with today. */
export const BUSINESS_DAYS = ['1', '7', '30'] as const
/** When open withdrawals are due: late, within so many days, or later. */
export const PAYOUTS_DUE = ['late', '1', '3', 'later'] as const

/** The status by which a list selects all open items. */
export const TO_DO = 'to_do'

export type Queue = keyof typeof QUEUES
/** The queues whose items one operator at a time works on. */
export type ClaimedQueue = { [Q in Queue]: (typeof QUEUES)[Q]['work'] extends 'claimed' ? Q : never }[Queue]

/** The roles of the other pages. Every operator sees a page that isn't listed. */
export const PAGES = {
  users: {
    writesNotes: ['support', 'compliance', 'finance', 'risk', 'admin'],
    locks: ['risk', 'compliance'],
    excludes: ['support', 'risk', 'compliance'],
    liftsMatches: ['compliance'],
  },
  trades: { sees: ['risk', 'support', 'auditor'], acts: ['risk'] },
  payouts: { sees: ['finance', 'auditor'], acts: ['finance'] },
  business: { sees: ['finance', 'risk', 'admin', 'auditor'] },
  exposure: { sees: ['risk', 'admin', 'auditor'] },
  // Everyone at the desk sees what is stopped.
  emergency: { acts: ['risk', 'finance'] },
  automatic: { sees: ['risk', 'admin', 'auditor'], acts: ['risk'] },
  feeds: { acts: ['risk'] },
  reconciliation: { sees: ['finance', 'admin', 'risk', 'auditor'], acts: ['finance'] },
  priceLists: { sees: ['admin', 'risk', 'auditor'], acts: ['admin'] },
  instruments: { sees: ['admin', 'risk', 'auditor'], acts: ['admin'] },
  operators: { sees: ['admin', 'auditor'], acts: ['admin'] },
  settings: { sees: ['admin', 'finance', 'risk', 'auditor'], acts: ['admin'] },
  audit: { sees: ['auditor', 'admin', 'compliance'], verifies: ['auditor', 'admin'] },
} as const satisfies Record<string, Record<string, readonly OperatorRole[]>>
