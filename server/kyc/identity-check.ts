import type { AddressVerification, Verification } from '#contract/account/kyc.ts'
import type { VERIFICATION_STATUSES } from '#contract/terms.ts'

type CheckStatus = (typeof VERIFICATION_STATUSES)[number]

/** Allowed status changes of an identity check. A rejected check never changes; a new one replaces it. */
export const NEXT: Record<CheckStatus, readonly CheckStatus[]> = {
  Pending: ['Approved', 'Rejected'],
  Approved: [],
  Rejected: [],
}

/** A government ID or a proof of address. Each has its own status. */
export type CheckKind = 'identity' | 'address'

export interface IdentityCheck<K extends CheckKind = 'identity'> {
  id: bigint
  userId: bigint
  method: K extends 'identity' ? Verification['method'] : AddressVerification['method']
  status: CheckStatus
  reason: string | null
  /** Name in the private file storage. */
  file: string
  /** Fields changed after an earlier approval, with their previous values. */
  changedFrom: Record<string, string> | null
  /** Withdrawals are held until this check, or its replacement, is approved. */
  holdsWithdrawals: boolean
}

/** Whether a document may be uploaded: there is no check yet, or the current one was rejected. */
export const maySubmit = (current: Pick<IdentityCheck, 'status'> | undefined): boolean =>
  current === undefined || current.status === 'Rejected'

/** Returns the check as its owner sees it. */
export const toVerification = (check: IdentityCheck): Verification => ({
  method: check.method,
  status: check.status,
  id_file_url: `/api/profile/user-verification/file/${check.file}`,
  ...(check.reason === null ? {} : { reason: check.reason }),
  ...(check.holdsWithdrawals && check.status === 'Pending' ? { reopened: true as const } : {}),
})

/** Returns the proof of address as its owner sees it. */
export const toAddressVerification = (check: IdentityCheck<'address'>): AddressVerification => ({
  method: check.method,
  status: check.status,
  file_url: `/api/profile/user-verification/file/${check.file}`,
  ...(check.reason === null ? {} : { reason: check.reason }),
})
