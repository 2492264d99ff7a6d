import { create } from 'zustand'
import type { LoginReply } from '#contract/auth.ts'
import type { ScreenChoices } from '#contract/profile.ts'
import type { Mode } from '#contract/terms.ts'
import { call } from './browser.ts'
import { setModeHere, signIn, useStore } from './store.ts'
import { beginVisit, VISITOR } from './visitor.ts'

/** Minimum time between two writes. */
const WRITE_EVERY_MS = 1_000
/** Where the demo's way begins. */
const FAMILIAR_SYMBOL = 'BTCUSDT'
/** What isn't written yet survives a reload here. */
const STORED = 'screen'

interface Chosen {
  /** The id of the user who chose. */
  owner: string
  change: ScreenChoices
}
const NOTHING: Chosen = { owner: '', change: {} }

const userId = (): string => useStore.getState().auth.user_data?.id ?? ''

function unwritten(): Chosen {
  try {
    return (JSON.parse(sessionStorage.getItem(STORED) ?? 'null') as Chosen | null) ?? NOTHING
  } catch {
    return NOTHING
  }
}

/** What was chosen on the trading screen since the page was opened. It may not be stored with the account yet. */
export const useChosen = create<Chosen>(() => NOTHING)

/** Returns what this user has chosen here: it's newer than what the server has. */
export const chosenHere = ({ owner, change }: Chosen, id: string): ScreenChoices => ({
  ...(unwritten().owner === id ? unwritten().change : {}),
  ...(owner === id ? change : {}),
})

/** Keeps a choice with the account: at once, or a second after the write before. */
export function choose(change: ScreenChoices): void {
  const owner = userId()
  if (owner === '') return
  const before = [unwritten(), useChosen.getState()].map((chosen) => (chosen.owner === owner ? chosen.change : {}))
  sessionStorage.setItem(STORED, JSON.stringify({ owner, change: { ...before[0], ...change } }))
  useChosen.setState({ owner, change: { ...before[1], ...change } })
  timer ??= setTimeout(write)
}

/** A visitor's choices follow them into the account that their first trade opened. */
useStore.subscribe(({ auth }, before) => {
  if (before.auth.user_data?.id !== VISITOR || !auth.tokens || auth.user_data?.email !== '') return
  const { owner, change } = unwritten()
  choose({ ...(owner === VISITOR ? change : {}), mode: 'demo' })
})

let timer: ReturnType<typeof setTimeout> | undefined

async function write(): Promise<void> {
  timer = undefined
  const text = sessionStorage.getItem(STORED)
  const { owner, change } = unwritten()
  if (text === null || owner !== userId() || owner === VISITOR) return
  timer = setTimeout(write, WRITE_EVERY_MS)
  try {
    await call('PATCH /users/screen', { body: change as never })
    if (sessionStorage.getItem(STORED) === text) sessionStorage.removeItem(STORED)
  } catch {
    // Written with the next choice, or when the screen is opened again.
    clearTimeout(timer)
    timer = undefined
  }
}

/** Writes what an earlier page left unwritten. */
export function writeChoices(): void {
  if (sessionStorage.getItem(STORED) !== null) timer ??= setTimeout(write)
}

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
