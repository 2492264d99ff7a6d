import type { Who } from '../http/index.ts'
import { type Listener, sendEncoded } from './listener.ts'
import { type PacedWrites, paceWrites } from './paced-writes.ts'

/** A user with sockets, and the number of the last message to them. */
export interface User {
  seq: number
  listeners: Set<Listener>
  writes: PacedWrites
}

/** Who has sockets open: visitors by network, users, and the members of each visitor's conversation. */
export interface Registry {
  readonly listeners: ReadonlySet<Listener>
  readonly byUser: ReadonlyMap<bigint, User>
  readonly byChat: ReadonlyMap<bigint, ReadonlySet<Listener>>
  /** Returns the sockets without a session in a network, the oldest first. */
  visitorsIn(network: string): ReadonlySet<Listener>
  add(listener: Listener): void
  remove(listener: Listener): void
  /** Returns the user with their sockets, or a user who has none yet. */
  userOf(userId: bigint): User
  /** The socket has a session from now on. */
  joinUser(listener: Listener, who: Who, user: User): void
  leaveUser(listener: Listener): void
  joinChat(listener: Listener, chatId: bigint): void
  leaveChat(listener: Listener): void
}

const NONE: ReadonlySet<Listener> = new Set()

export function createRegistry(): Registry {
  const listeners = new Set<Listener>()
  /** Sockets without a session, by network. */
  const visitors = new Map<string, Set<Listener>>()
  const byUser = new Map<bigint, User>()
  const byChat: Chats = new Map()

  function addVisitor(listener: Listener): void {
    const others = visitors.get(listener.network)
    if (others) others.add(listener)
    else visitors.set(listener.network, new Set([listener]))
  }

  function removeVisitor(listener: Listener): void {
    const others = visitors.get(listener.network)
    others?.delete(listener)
    if (others?.size === 0) visitors.delete(listener.network)
  }

  function leaveUser(listener: Listener): void {
    if (!listener.who) return
    const user = byUser.get(listener.who.userId)
    user?.listeners.delete(listener)
    if (user?.listeners.size === 0) byUser.delete(listener.who.userId)
    listener.who = undefined
    addVisitor(listener)
  }

  return {
    listeners,
    byUser,
    byChat,
    visitorsIn: (network) => visitors.get(network) ?? NONE,
    add(listener) {
      listeners.add(listener)
      addVisitor(listener)
    },
    remove(listener) {
      listeners.delete(listener)
      leaveUser(listener)
      leaveChat(byChat, listener)
      removeVisitor(listener)
    },
    userOf: (userId) => byUser.get(userId) ?? newUser(),
    joinUser(listener, who, user) {
      removeVisitor(listener)
      listener.who = who
      user.listeners.add(listener)
      byUser.set(who.userId, user)
    },
    leaveUser,
    joinChat(listener, chatId) {
      if (listener.chatId !== chatId && listeners.has(listener)) joinChat(byChat, listener, chatId)
    },
    leaveChat: (listener) => leaveChat(byChat, listener),
  }
}

type Chats = Map<bigint, Set<Listener>>

function joinChat(byChat: Chats, listener: Listener, chatId: bigint): void {
  leaveChat(byChat, listener)
  listener.chatId = chatId
  const members = byChat.get(chatId) ?? new Set()
  members.add(listener)
  byChat.set(chatId, members)
}

function leaveChat(byChat: Chats, listener: Listener): void {
  if (listener.chatId === undefined) return
  const members = byChat.get(listener.chatId)
  members?.delete(listener)
  if (members?.size === 0) byChat.delete(listener.chatId)
  listener.chatId = undefined
}

function newUser(): User {
  const own = new Set<Listener>()
  const writes = paceWrites((bytes) => {
    for (const listener of own) sendEncoded(listener, bytes)
  })
  return { seq: firstSeq(), listeners: own, writes }
}

/**
 * Where a user's message numbers begin when they connect (Unix microseconds). They may have connected before, and
 * messages sent since may have reached no socket: a number that was never used shows the client that, and it reloads
 * its lists.
 */
const firstSeq = () => Date.now() * 1_000
