import type { LoginReply } from '#contract/account/auth.ts'
import type { ScreenChoices } from '#contract/account/profile.ts'
import type { Mode } from '#contract/terms.ts'
import { call } from '../browser.ts'
import { setModeHere, signIn, useStore } from '../store.ts'
import { keeper } from './keeper.ts'
import { becameGuest, beginVisit } from './visitor.ts'

/** Where the demo's way begins. */
const FAMILIAR_SYMBOL = 'BTCUSDT'

export const keptScreen = keeper<ScreenChoices>(
  'screen',
  (before, change) => ({ ...before, ...change }),
  (change) => call('PATCH /users/screen', { body: change as never }),
)

/** Keeps a choice with the account. */
export const choose = keptScreen.choose

/** An account that a visitor's first trade opened begins in demo. */
useStore.subscribe(({ auth }, before) => {
  if (becameGuest(auth, before.auth)) choose({ mode: 'demo' })
})

/** Switches the account mode, and remembers it with the account. */
export function setMode(mode: Mode): void {
  setModeHere(mode)
  choose({ mode })
}

/** Begins the demo for a visitor, with a familiar market. */
export function tryDemo(): void {
  beginVisit()
  choose({ symbol: FAMILIAR_SYMBOL })
}

/**
 * Stores the user and tokens of a sign-in. The mode is the one that the account remembers; one that came by the demo's
 * way before it had a session remembers that from now on, and begins with a familiar market. Without a choice, the
 * screen has the specification's.
 */
export function takeSignIn({ data, tokens, mode }: LoginReply): void {
  signIn(data, tokens)
  if (mode) setModeHere(mode)
  else if (useStore.getState().mode === 'demo') choose({ mode: 'demo', symbol: FAMILIAR_SYMBOL })
}
