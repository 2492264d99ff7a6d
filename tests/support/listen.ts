import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { FrameMessage, ServerMessage, UserMessage } from '#contract/messages/push.ts'

/** Opens a socket that records the messages it receives. */
export async function listen(app: { origin: string }, headers: Record<string, string> = {}) {
  const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/api/stream`, { headers })
  const received: ServerMessage[] = []
  let closed: { code: number; reason: string } | undefined
  socket.on('message', (data) => received.push(JSON.parse(String(data)) as ServerMessage))
  socket.on('close', (code, reason) => {
    closed = { code, reason: String(reason) }
  })
  socket.on('error', () => undefined)
  onTestFinished(() => socket.terminate())
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })

  async function until<T>(look: () => T | undefined, what: string, withinMs = 60_000): Promise<T> {
    const end = performance.now() + withinMs
    for (;;) {
      const seen = look()
      if (seen !== undefined) return seen
      if (performance.now() > end)
        throw new Error(`did not receive ${what}; last received ${JSON.stringify(received.slice(-5))}`)
      await sleep(10)
    }
  }
  const frames = () => received.filter((message): message is FrameMessage => message.op === 'frame')
  return {
    socket,
    received,
    frames,
    say: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    news: () => received.filter((message): message is UserMessage => 'seq' in message && message.op !== 'ready'),
    next: <Op extends ServerMessage['op']>(op: Op) =>
      until(() => received.find((message): message is Extract<ServerMessage, { op: Op }> => message.op === op), op),
    until,
    closed: (withinMs?: number) => until(() => closed, 'a close', withinMs),
    isOpen: () => closed === undefined && socket.readyState === WebSocket.OPEN,
    async signIn(token: string) {
      this.say({ op: 'auth', token })
      return this.next('ready')
    },
  }
}
