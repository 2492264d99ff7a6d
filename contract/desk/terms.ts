/** The queues whose items one operator at a time works on, as named in URLs. */
export const QUEUES = ['identity-checks', 'deposits', 'withdrawals', 'plan-requests', 'messages', 'chats'] as const

export type Queue = (typeof QUEUES)[number]

export const MESSAGE_STATUSES = ['Open', 'Closed'] as const

export const CHECK_KINDS = ['identity', 'address'] as const

export const PROPOSAL_STATUSES = ['Pending', 'Approved', 'Rejected'] as const

export const FACTOR_RESET_STATUSES = ['Pending', 'Approved', 'Rejected', 'Stopped', 'Done'] as const

export const LOCKS = ['trading', 'deposits', 'withdrawals', 'sign_in'] as const

export type LockKind = (typeof LOCKS)[number]

/** Minutes without an action after which a claim expires. */
export const CLAIM_MINUTES = 30
