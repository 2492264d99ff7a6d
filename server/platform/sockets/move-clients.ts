import { CLOSE } from '#contract/messages/push.ts'
import { send } from './listener.ts'
import { type ProtocolDeps, readyText } from './protocol.ts'
import type { Registry, User } from './registry.ts'

/** How long clients are given to move or to read again, for each of them and at most: few need no spreading. */
const SPREAD_MS = { each: 2, most: 5_000 }
/** How long a client may take to confirm that its socket is closed. */
const CLOSE_WITHIN_MS = 1_000
const RESTARTING = 'the server restarts'

const spreadOver = (clients: number) => Math.min(SPREAD_MS.most, SPREAD_MS.each * clients)

/** Makes clients read their lists again. */
interface ReadAgain {
  /** Makes every client read its lists again, at random moments within `withinMs`. */
  all(withinMs?: number): void
  stop(): void
}

export function createReadAgain({ byUser }: Registry, deps: Pick<ProtocolDeps, 'maintenance'>): ReadAgain {
  /** Users whose clients will be made to read again. */
  const gaps = new Map<User, NodeJS.Timeout>()
  return {
    all(withinMs = spreadOver(byUser.size)) {
      for (const user of byUser.values()) {
        if (gaps.has(user)) continue
        const readAgain = () => {
          gaps.delete(user)
          user.writes.flush()
          user.seq++
          const text = readyText({ seq: user.seq, quietMs: 0 }, deps)
          for (const listener of user.listeners) send(listener, text)
        }
        gaps.set(user, setTimeout(readAgain, Math.random() * withinMs))
      }
    },
    stop() {
      for (const timer of gaps.values()) clearTimeout(timer)
    },
  }
}

/** Closes a socket because this server restarts. */
export const closeForRestart = (socket: { close(code: number, why: string): void }) =>
  socket.close(CLOSE.restarting, RESTARTING)

/** Closes all open sockets at random moments within `withinMs`. Resolves when they are closed. */
export async function closeAll(
  { listeners, byUser }: Registry,
  withinMs: number = spreadOver(listeners.size),
): Promise<void> {
  const open = [...listeners]
  await Promise.all(
    open.map(async ({ socket, who }) => {
      const closed = new Promise((resolve) => socket.once('close', resolve))
      if (socket.readyState === socket.CLOSED) return
      const turn = setTimeout(() => {
        if (who) byUser.get(who.userId)?.writes.flush()
        closeForRestart(socket)
      }, Math.random() * withinMs)
      const patience = setTimeout(() => socket.terminate(), withinMs + CLOSE_WITHIN_MS)
      await closed
      clearTimeout(turn)
      clearTimeout(patience)
    }),
  )
}
