import { createClient, createStream, type Socket } from '#web/client/index.ts'
import { askStepUp } from './account/step-up.ts'
import { callAsVisitor, isVisitor } from './account/visitor.ts'
import { showMaintenance } from './maintenance.ts'
import { askPassword, setReachable, setTokens, signOut, useStore } from './store.ts'

/** The only client and stream of this browser, connected to its store. */
const client = createClient({
  session: {
    tokens: () => useStore.getState().auth.tokens ?? undefined,
    renewed: setTokens,
    signedOut: signOut,
    confirmedElsewhere: askPassword,
  },
  hasNews: () => stream.hasNews(),
  onReachable: setReachable,
  askStepUp,
})

export const { callForFile, readFile, leave } = client

/** Makes a call; a visitor who tries the demo has no account yet. */
export const call: typeof client.call = (name, ...args) =>
  isVisitor() ? (callAsVisitor(client.call as never, name, args) as never) : client.call(name, ...args)

export const stream = createStream({
  connect: () => new WebSocket(`${location.origin.replace(/^http/, 'ws')}/api/stream`) as unknown as Socket,
  token: client.freshToken,
  onMaintenance: showMaintenance,
  onSessionEnded: () => {
    const ended = useStore.getState().auth.tokens?.access.token
    // Let a renewal decide: if the session is really over, it says so and the guards lead to sign-in. Wait a moment: a
    // sign-out closes the socket just before its own response arrives, and then there is nothing to renew.
    setTimeout(async () => {
      if (ended === undefined || useStore.getState().auth.tokens?.access.token !== ended) return
      const lives = await client.renew().catch(() => true)
      if (!lives) signOut()
    }, 1_000)
  },
})
