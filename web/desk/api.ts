import type { Api, CallName, Reply } from '#contract/api.ts'
import { CallError, createClient, createQueryClient, type Input, newKey, queriesOf } from '#web/client/index.ts'
import { signOutHere, useSession } from './session.ts'

/** The desk's API client: a different kind of token, never renewed, and only a 401 signs out. */
export const { call, readFile } = createClient({
  session: {
    tokens: () => useSession.getState().tokens ?? undefined,
    renewed: () => undefined,
    signedOut: signOutHere,
  },
  renews: false,
  endsSession: [401],
})

type Keyed = { [K in CallName]: Api[K] extends { idempotent: true } ? K : never }[CallName]
type Unkeyed<K extends Keyed> = Omit<Input<K>, 'key'>

const openKeys = new Map<string, string>()

/**
 * Makes a call that takes an Idempotency-Key. The same call keeps its key until there is a response, so that a retry
 * after a lost response takes effect once.
 */
export async function send<K extends Keyed>(name: K, input: Unkeyed<K>): Promise<Reply<K>> {
  const intention = JSON.stringify([name, input])
  const key = openKeys.get(intention) ?? newKey()
  openKeys.set(intention, key)
  try {
    const reply = await (call as (name: K, input: unknown) => Promise<Reply<K>>)(name, { ...input, key })
    openKeys.delete(intention)
    return reply
  } catch (error) {
    const isAnswered = error instanceof CallError && error.status !== undefined && error.status < 500
    if (isAnswered) openKeys.delete(intention)
    throw error
  }
}

export const queryClient = createQueryClient({ staleTime: 2_000, refetchOnWindowFocus: true })

/** How often a list that other operators also work on is reloaded, milliseconds. */
export const OFTEN_MS = 5_000

export const queryOf = queriesOf(call)

/** How long an action waits for the lists that it changed, milliseconds. */
const READ_WAIT_MS = 3_000

/** Reloads everything on the screen after an action. Failed reads are retried in the background. */
export const readAllAgain = () =>
  Promise.race([queryClient.invalidateQueries(), new Promise((resolve) => setTimeout(resolve, READ_WAIT_MS))])
