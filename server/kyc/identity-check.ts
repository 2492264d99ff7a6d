import type { VERIFICATION_STATUSES, Verification } from '#contract/kyc.ts'

export type CheckStatus = (typeof VERIFICATION_STATUSES)[number]

/** What an identity check may become. A rejected one is not changed: a new one takes its place. */
export const NEXT: Record<CheckStatus, readonly CheckStatus[]> = {
  Pending: ['Approved', 'Rejected'],
  Approved: [],
  Rejected: [],
}

export interface IdentityCheck {
  id: bigint
  userId: bigint
  method: Verification['method']
  status: CheckStatus
  reason: string | null
  /** Name in the private file store. */
  file: string
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
})
