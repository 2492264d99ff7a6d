import type { AddressVerification, VERIFICATION_STATUSES, Verification } from '#contract/kyc.ts'

export type CheckStatus = (typeof VERIFICATION_STATUSES)[number]

/** What an identity check may become. A rejected one is not changed: a new one takes its place. */
export const NEXT: Record<CheckStatus, readonly CheckStatus[]> = {
  Pending: ['Approved', 'Rejected'],
  Approved: [],
  Rejected: [],
}

/** A government ID, or a proof of address: each has a state of its own. */
export type CheckKind = 'identity' | 'address'

export interface IdentityCheck<K extends CheckKind = 'identity'> {
  id: bigint
  userId: bigint
  method: K extends 'identity' ? Verification['method'] : AddressVerification['method']
  status: CheckStatus
  reason: string | null
  /** Name in the private file store. */
  file: string
  /** What was changed after an earlier approval: the values from before, by field. */
  changedFrom: Record<string, string> | null
  /** Withdrawals are held until this one, or what takes its place, is approved. */
  holdsWithdrawals: boolean
}

/** An ID may be handed in while there is none, or the one there was rejected. */
export const mayHandIn = (living: Pick<IdentityCheck, 'status'> | undefined): boolean =>
  living === undefined || living.status === 'Rejected'

/** The check as its owner sees it. */
export const toVerification = (check: IdentityCheck): Verification => ({
  method: check.method,
  status: check.status,
  id_file_url: `/api/profile/user-verification/file/${check.file}`,
  ...(check.reason === null ? {} : { reason: check.reason }),
  ...(check.holdsWithdrawals && check.status === 'Pending' ? { reopened: true as const } : {}),
})

/** The proof of address as its owner sees it. */
export const toAddressVerification = (check: IdentityCheck<'address'>): AddressVerification => ({
  method: check.method,
  status: check.status,
  file_url: `/api/profile/user-verification/file/${check.file}`,
  ...(check.reason === null ? {} : { reason: check.reason }),
})
