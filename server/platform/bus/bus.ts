import { randomUUID } from 'node:crypto'
import type { Log } from '../process/log.ts'
import { createOutbox, type Envelope } from './outbox.ts'
import { createPeers, type Hello } from './peers.ts'
import { type Answered, type Asked, createQuestions } from './questions.ts'
import type { Transport } from './transport.ts'

/**
 * Connects the nodes of an installation. Messages are plain JSON. They are hints: one that is lost is found by reading
 * the database, and a listener must bear one that comes twice or late.
 */
export interface Bus<Topics, Questions = unknown> {
  /** Sends to every node, this one included: its own listeners are called at once. */
  publish<T extends keyof Topics & string>(topic: T, message: Topics[T]): void
  /** Sends to every other node. */
  publishToOthers<T extends keyof Topics & string>(topic: T, message: Topics[T]): void
  subscribe<T extends keyof Topics & string>(topic: T, listener: (message: Topics[T]) => void): () => void
  /**
   * Asks every node, this one included, and returns the answers that came within `patienceMs`; sooner once `isEnough`
   * accepts one, or all known nodes have replied.
   */
  ask<Q extends keyof Questions & string>(
    topic: Q,
    question: QuestionOf<Questions[Q]>,
    options: { patienceMs: number; isEnough(answer: AnswerOf<Questions[Q]>): boolean },
  ): Promise<AnswerOf<Questions[Q]>[]>
  /** Answers questions of any node; undefined if this node has nothing to say. */
  answer<Q extends keyof Questions & string>(
    topic: Q,
    answerer: (question: QuestionOf<Questions[Q]>) => Promise<AnswerOf<Questions[Q]> | undefined>,
  ): void
  /** Calls the listener when messages of other nodes may have been missed. */
  onGap(listener: () => void): void
  state(): BusState
  stop(): Promise<void>
}

interface BusState {
  /** How long it has had no connection, in milliseconds; undefined while it has one. */
  lostForMs: number | undefined
  /** How often messages may have been missed, since the start. */
  gaps: number
  /** Messages of this node that were not sent, since the start. */
  lost: number
  /** Other nodes that it has heard of lately. */
  peers: number
}

type QuestionOf<T> = T extends { question: infer Q } ? Q : never
type AnswerOf<T> = T extends { answer: infer A } ? A : never

const HELLO_EVERY_MS = 10_000

/** Opens the bus. Without a transport it connects the parts of this process only. */
export async function openBus<Topics, Questions = unknown>(
  log: Log,
  transport?: Transport,
): Promise<Bus<Topics, Questions>> {
  const self = randomUUID()
  const subscribers = createSubscribers(log)
  const outbox = createOutbox(self, transport, log)
  const peers = createPeers()
  const questions = createQuestions(outbox, peers, log)

  const greet = (isNew: boolean) => outbox.send('hello', { answers: questions.topics(), isNew } satisfies Hello)

  function receive(text: string): void {
    const { from, topic, message } = JSON.parse(text) as Envelope
    if (from === self) return
    if (topic === 'hello') {
      peers.heard(from, message as Hello)
      if ((message as Hello).isNew) greet(false)
    } else if (topic === 'gap') subscribers.gap()
    else if (topic === 'ask') void questions.asked(message as Asked)
    else if (topic === 'answer') questions.answered(from, message as Answered)
    else subscribers.deliver(topic, message)
  }

  await transport?.start(receive, () => {
    // Ours may have been lost as well.
    outbox.send('gap', null)
    subscribers.gap()
  })

  const greeting = transport && setInterval(() => greet(false), HELLO_EVERY_MS).unref()
  if (transport) greet(true)

  return {
    publish(topic, message) {
      subscribers.deliver(topic, message)
      outbox.send(topic, message)
    },
    publishToOthers: outbox.send,
    subscribe: (topic, listener) => subscribers.add(topic, listener as (message: never) => void),
    ask: questions.ask,
    answer(about, answerer) {
      questions.answer(about, answerer as (question: never) => Promise<unknown>)
      greet(false)
    },
    onGap: subscribers.onGap,
    state() {
      const since = transport?.lostSince()
      const lostForMs = since === undefined ? undefined : performance.now() - since
      return { lostForMs, gaps: subscribers.gaps(), lost: outbox.lost(), peers: peers.count() }
    },
    async stop() {
      clearInterval(greeting)
      questions.clear()
      greet(false)
      await outbox.flush()
      await transport?.stop()
    },
  }
}

/** Who listens on this node. */
function createSubscribers(log: Log) {
  const listeners = new Map<string, Set<(message: never) => void>>()
  const gapListeners: (() => void)[] = []
  let gaps = 0
  return {
    deliver(topic: string, message: unknown): void {
      for (const listener of listeners.get(topic) ?? []) {
        try {
          ;(listener as (message: unknown) => void)(message)
        } catch (error) {
          log.error({ topic, error: String(error) }, 'a listener failed')
        }
      }
    },
    add(topic: string, listener: (message: never) => void): () => void {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set)
      set.add(listener)
      return () => set.delete(listener)
    },
    /** Messages of other nodes may have been missed. */
    gap(): void {
      gaps++
      for (const listener of gapListeners) listener()
    },
    onGap(listener: () => void): void {
      gapListeners.push(listener)
    },
    gaps: () => gaps,
  }
}
