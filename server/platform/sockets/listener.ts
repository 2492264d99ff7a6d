import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { ChatSaid } from '#contract/messages/chat.ts'
import type { Who } from '../http/index.ts'
import { textMessage } from './socket-messages.ts'

/** An open socket, and what it's subscribed to. */
export interface Listener {
  socket: WebSocket
  /** The connection below it. */
  connection: Socket
  ip: string
  /** The network that sockets without a session are counted by. */
  network: string
  who: Who | undefined
  chatId: bigint | undefined
  /** Chat messages are handled one at a time. */
  chatTurn: Promise<void>
  symbols: Set<string>
  /** The sorted symbols as one text: subscribers to the same symbols get the same bytes. */
  part: string
  messages: number
  countedSince: number
  alive: boolean
}

/** Bytes that may be buffered for a slow reader before it is dropped. */
const BUFFER_MAX = 1_048_576

export const newListener = (opened: Pick<Listener, 'socket' | 'connection' | 'ip' | 'network'>): Listener => ({
  ...opened,
  who: undefined,
  chatId: undefined,
  chatTurn: Promise.resolve(),
  symbols: new Set(),
  part: '',
  messages: 0,
  countedSince: performance.now(),
  alive: true,
})

export const send = (listener: Listener, text: string) => sendEncoded(listener, textMessage(text))

/** Sends bytes that `textMessage` has encoded: the library would encode them again for each socket. */
export function sendEncoded({ socket, connection }: Listener, bytes: Buffer): void {
  if (socket.readyState !== socket.OPEN) return
  // Drop slow consumers; they reconnect and reload the lists.
  if (connection.writableLength > BUFFER_MAX) socket.terminate()
  else connection.write(bytes)
}

export const refuse = (listener: Listener, code: string, message: string, said?: ChatSaid) =>
  send(listener, JSON.stringify({ op: 'error', code, message, said }))
