import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { ChatNews, ChatSaying } from '#contract/messages/chat.ts'
import type { ServerMessage } from '#contract/messages/push.ts'

/** Opens a chat connection as a visitor, or as a trader with their token, and records what it receives. */
export async function talk(app: { origin: string }, session?: string) {
  const socket = new WebSocket(`${app.origin.replace('http', 'ws')}/api/stream`)
  const received: ServerMessage[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data)) as ServerMessage))
  socket.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', reject)
  })
  const news = () => received.flatMap((message) => (message.op === 'chat' ? [message.data] : []))
  const errors = () => received.flatMap((message) => (message.op === 'error' ? [message] : []))

  async function until<T>(look: () => T | undefined, what: string): Promise<T> {
    for (const end = performance.now() + 60_000; performance.now() < end; await sleep(10)) {
      const seen = look()
      if (seen !== undefined) return seen
    }
    throw new Error(`did not receive ${what}; last received ${JSON.stringify(received.slice(-5))}`)
  }

  const talking = {
    socket,
    received,
    news,
    errors,
    until,
    /** Sends a message and waits for the response. */
    async say(saying: Omit<ChatSaying, 'op'> & { [odd: string]: unknown }): Promise<ChatNews> {
      const before = news().length
      socket.send(JSON.stringify({ op: 'chat', ...saying }))
      return until(() => news()[before], 'an answer in the chat')
    },
    /** Sends a message without waiting. */
    tell: (saying: object) => socket.send(JSON.stringify({ op: 'chat', ...saying })),
    leave: () => socket.terminate(),
  }
  if (session !== undefined) {
    socket.send(JSON.stringify({ op: 'auth', token: session }))
    await until(() => received.find((message) => message.op === 'ready'), 'ready')
  }
  return talking
}

/** Returns the text of every message of a conversation, without duplicates. */
export const words = (news: readonly ChatNews[]): string[] => [
  ...new Map(news.flatMap(({ messages }) => messages).map((message) => [message.id, message.text])).values(),
]
