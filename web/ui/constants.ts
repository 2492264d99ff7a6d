/** The specification's constants of the screens (its sections 2, 4, 8 and 9), in one place. Requests have
 * no time-out of their own, so there is no figure for one. */

/** Widest screen, in px, that counts as mobile; above it and below `DESKTOP_MIN_PX` is tablet. */
export const MOBILE_MAX_PX = 768
export const DESKTOP_MIN_PX = 1200

/** The public header turns opaque at this scroll, in px. */
export const HEADER_OPAQUE_AT_PX = 100

/** Modals and the mobile menu. `--slow` in tokens.css is the same figure; reduced motion makes it 0. */
export const ANIMATION_MS = 500

export const TOAST = { position: 'top-right', autoCloseMs: 5_000, draggablePercent: 80 } as const

/** An error of the contact form stands this long. */
export const CONTACT_RESET_MS = 3_000

/** What stays in the browser: only the session and the cached mode. Local storage answers at once, so the time-out
 * is always met. */
export const PERSIST = { key: 'root', version: 1, timeoutMs: 5_000 } as const

/** Rows in the panel of recent trades. */
export const RECENT_TRADES = 2

export const DEFAULT_SYMBOL = 'BCHBTC'
/** The step of the stake's arrows, US dollars; a rule for the arrows, not for the amount. */
export const STAKE = { min: 1, step: 120 } as const
export const DEPOSIT_MIN_USD = 1
export const WITHDRAWAL_MIN_USD = 1

/** Bytes. */
export const FILE_LIMIT = { receipt: 5_242_880, idFile: 5_242_880, avatar: 2_097_152 } as const

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
