import { useEffect, useMemo } from 'react'
import { createStore, useStore as useZustand } from 'zustand'
import { useStore } from '../store.ts'
import { becameGuest, VISITOR } from './visitor.ts'

/** Minimum time between two writes. */
const WRITE_EVERY_MS = 1_000

/** What was changed. */
interface Changed<Change> {
  /** The id of the user who changed it; empty without a session. */
  owner: string
  change: Change
}

const userId = (): string => useStore.getState().auth.user_data?.id ?? ''

/**
 * Keeps changes with the account: written at once, or a second after the write before. What isn't written yet survives a
 * reload in the tab's storage, under `stored`; without a session, that is where it stays.
 */
export function keeper<Change extends object>(
  stored: string,
  merge: (before: Change, change: Change) => Change,
  send: (change: Change) => Promise<unknown>,
) {
  const nothing: Changed<Change> = { owner: '', change: {} as Change }
  /** What was changed since the page was opened. It may not be stored with the account yet. */
  const changed = createStore<Changed<Change>>(() => nothing)
  let timer: ReturnType<typeof setTimeout> | undefined
  let isSending = false

  function unwritten(owner: string): Change {
    try {
      const kept = JSON.parse(sessionStorage.getItem(stored) ?? 'null') as Changed<Change> | null
      return kept?.owner === owner ? kept.change : nothing.change
    } catch {
      return nothing.change
    }
  }

  function choose(change: Change): void {
    const owner = userId()
    const before = changed.getState()
    sessionStorage.setItem(stored, JSON.stringify({ owner, change: merge(unwritten(owner), change) }))
    changed.setState({ owner, change: merge(before.owner === owner ? before.change : nothing.change, change) })
    timer ??= setTimeout(write)
  }

  async function write(): Promise<void> {
    timer = undefined
    const owner = userId()
    const text = sessionStorage.getItem(stored)
    const change = unwritten(owner)
    if (text === null || owner === '' || owner === VISITOR || change === nothing.change) return
    timer = setTimeout(write, WRITE_EVERY_MS)
    // Of two at once, the earlier could arrive last.
    if (isSending) return
    isSending = true
    try {
      await send(change)
      if (sessionStorage.getItem(stored) === text) sessionStorage.removeItem(stored)
    } catch {
      // Written with the next change, or when the screen is opened again.
      clearTimeout(timer)
      timer = undefined
    } finally {
      isSending = false
    }
  }

  // What a visitor chose follows them into the account that their first trade opened.
  useStore.subscribe(({ auth }, before) => {
    const chosen = becameGuest(auth, before.auth) ? unwritten(VISITOR) : nothing.change
    if (chosen !== nothing.change) choose(chosen)
  })

  return {
    choose,
    changed,
    /** Writes what an earlier page left unwritten. The server's answer may be older than that, though it comes later. */
    writeRest: () => {
      const owner = userId()
      const rest = unwritten(owner)
      if (rest === nothing.change) return
      const { owner: before, change } = changed.getState()
      changed.setState({ owner, change: before === owner ? merge(rest, change) : rest })
      timer ??= setTimeout(write)
    },
    /** Returns what a user has, with what was changed here: that is newer than what the server has. */
    over: (fromServer: Change, id: string): Change => {
      const here = changed.getState()
      return merge(merge(fromServer, unwritten(id)), here.owner === id ? here.change : nothing.change)
    },
  }
}

/** What this user has, from the server and from here; `undefined` until the server's is known. */
export function useKept<Change extends object>(
  { changed, writeRest, over }: ReturnType<typeof keeper<Change>>,
  fromServer: Change | undefined,
): Change | undefined {
  const id = useStore((state) => state.auth.user_data?.id ?? '')
  const here = useZustand(changed)
  useEffect(writeRest, [writeRest])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was changed here is read where it's kept
  return useMemo(() => fromServer && over(fromServer, id), [fromServer, here, id])
}
