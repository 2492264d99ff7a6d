/**
 * The UI constants from sections 2, 4, 8 and 9 of the specification, in one place. Requests have no time-out, so there
 * is no constant for one.
 */

/** Widest mobile screen, px. Between this and `DESKTOP_MIN_PX` is tablet. */
export const MOBILE_MAX_PX = 768
export const DESKTOP_MIN_PX = 1200

/** Scroll offset at which the public header turns opaque, px. */
export const HEADER_OPAQUE_AT_PX = 100

/** Modals and the mobile menu. Must match `--slow` in tokens.css; reduced motion makes it 0. */
export const ANIMATION_MS = 500

/** The id of the header's free part. */
export const HEADER_ROOM = 'header-room'

export const TOAST = { position: 'top-right', autoCloseMs: 5_000, draggablePercent: 80 } as const

/** How long the contact form shows an error. */
export const CONTACT_RESET_MS = 3_000

/** Rows in the panel of recent trades. */
export const RECENT_TRADES = 2

export const DEFAULT_SYMBOL = 'BCHBTC'
/** Step of the stake's arrow buttons, US dollars. It doesn't restrict the amount itself. */
export const STAKE = { min: 1, step: 120 } as const
export const DEPOSIT_MIN_USD = 1
export const WITHDRAWAL_MIN_USD = 1

/** Bytes. */
export const FILE_LIMIT = { idFile: 5_242_880, avatar: 2_097_152 } as const

export { PLANS, type PlanValue } from '#contract/terms.ts'

export const MESSAGES = {
  somethingWentWrong: 'Something Went Wrong!',
  passwordMismatch: 'Password and Confirm Password does not match',
  selectFile: 'Please select file!',
  fileTooLarge: 'Max file size is 5mb',
  registered: 'Please check your mailbox and confirm your email!',
  profileSaved: 'Profile Saved Successfully!',
  idSubmitted: 'Government ID Submitted Successfully!',
  passwordChanged: 'Password Changed Successfully.',
  addressCopied: 'Wallet address copied!',
  overBalance: 'Cannot withraw more than available balance',
  bankIncomplete: 'Please input all fields correctly!',
  profileUpdated: 'Profile updated successfully!',
} as const
