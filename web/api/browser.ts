import { createClient } from './client.ts'
import { askStepUp } from './step-up.ts'
import { setReachable, setTokens, signOut, useStore } from './store.ts'
import { createStream, type Socket } from './stream.ts'

/** The one client and the one stream of this browser, joined to its store. */
export const { call, readFile, freshToken, renew } = createClient({
  session: {
    tokens: () => useStore.getState().auth.tokens ?? undefined,
    renewed: setTokens,
    signedOut: signOut,
  },
  onReachable: setReachable,
  askStepUp,
})

export const stream = createStream({
  connect: () => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/stream`) as unknown as Socket,
  token: freshToken,
  onSessionEnded: () => {
    const ended = useStore.getState().auth.tokens?.access.token
    // A renewal decides: where the session is really over, it says so and the guards lead to sign-in. Not at once: a
    // sign-out closes the socket a moment before its own answer arrives, and then there is nothing to ask.
    setTimeout(async () => {
      if (ended === undefined || useStore.getState().auth.tokens?.access.token !== ended) return
      const lives = await renew().catch(() => true)
      if (!lives) signOut()
    }, 1_000)
  },
})
