import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../process/log.ts'

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

export interface BusState {
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

/** Carries texts between nodes. It delivers to every node, the sender included, in the sender's order. */
export interface Transport {
  /** `receive` gets each text; `gap` is called when some may have been missed. */
  start(receive: (text: string) => void, gap: () => void): Promise<void>
  /** Resolves once the texts are on their way; rejects if they are not. */
  send(texts: readonly string[]): Promise<void>
  /** When the connection was lost (`performance.now()`); undefined while there is one. */
  lostSince(): number | undefined
  stop(): Promise<void>
}

interface Envelope {
  /** The node that sent it. */
  from: string
  topic: string
  message: unknown
}

/** What nodes tell each other about themselves: whether one has started, stopped, or is still there. */
interface Hello {
  /** Which questions it answers; none once it stops. */
  answers: string[]
  /** It has just started and wants to know the others. */
  isNew: boolean
}

interface Peer {
  seenAt: number
  answers: readonly string[]
}

const HELLO_EVERY_MS = 10_000
/** A node that has been silent for this long is gone. */
const GONE_AFTER_MS = 25_000

/**
 * Time between two sends: each of them wakes every node, so messages of a busy node share one. A lone message waits for
 * nothing.
 */
const PAUSE_MS = 10
/** Messages that wait for the transport, at most: beyond that, the oldest are dropped. */
const WAITING_MAX = 10_000

/** Opens the bus. Without a transport it connects the parts of this process only. */
export async function openBus<Topics, Questions = unknown>(
  log: Log,
  transport?: Transport,
): Promise<Bus<Topics, Questions>> {
  const self = randomUUID()
  const listeners = new Map<string, Set<(message: never) => void>>()
  const answerers = new Map<string, (question: never) => Promise<unknown>>()
  const open = new Map<string, (from: string, answer: unknown) => void>()
  const peers = new Map<string, Peer>()
  const gapListeners: (() => void)[] = []
  let waiting: string[] = []
  let lost = 0
  let lostEver = 0
  let gaps = 0
  let sending: Promise<void> | undefined
  let sentAt = Number.NEGATIVE_INFINITY
  let stopping = false

  const sealed = (topic: string, message: unknown) => JSON.stringify({ from: self, topic, message } satisfies Envelope)

  function deliver(topic: string, message: unknown): void {
    for (const listener of listeners.get(topic) ?? []) {
      try {
        ;(listener as (message: unknown) => void)(message)
      } catch (error) {
        log.error({ topic, error: String(error) }, 'a listener failed')
      }
    }
  }

  function sendToOthers(topic: string, message: unknown): void {
    if (!transport) return
    waiting.push(sealed(topic, message))
    if (waiting.length > WAITING_MAX) {
      waiting.shift()
      lost++
      lostEver++
    }
    sending ??= sendWaiting().finally(() => {
      sending = undefined
    })
  }

  /** What is published while a batch is on its way, and in the pause after it, forms the next one. */
  async function sendWaiting(): Promise<void> {
    // Messages of one turn leave together.
    await Promise.resolve()
    while (waiting.length > 0) {
      const pause = sentAt + PAUSE_MS - performance.now()
      if (pause > 0 && !stopping) await sleep(pause)
      const batch = waiting
      waiting = []
      sentAt = performance.now()
      try {
        // Those who missed messages of ours must read again.
        if (lost > 0) batch.unshift(sealed('gap', null))
        await transport!.send(batch)
        lost = 0
      } catch (error) {
        // Once for each time the connection is lost, however many messages that costs.
        if (lost === 0) log.warn({ error: String(error) }, 'messages to other nodes are being lost')
        lost += batch.length
        lostEver += batch.length
      }
    }
  }

  function receive(text: string): void {
    const { from, topic, message } = JSON.parse(text) as Envelope
    if (from === self) return
    if (topic === 'hello') meet(from, message as Hello)
    else if (topic === 'gap') readAgain()
    else if (topic === 'ask') void reply(message as Asked)
    else if (topic === 'answer') {
      const { id, answer } = message as { id: string; answer: unknown }
      open.get(id)?.(from, answer)
    } else deliver(topic, message)
  }

  function meet(from: string, { answers, isNew }: Hello): void {
    peers.set(from, { seenAt: performance.now(), answers })
    if (isNew) greet(false)
  }

  const greet = (isNew: boolean) => sendToOthers('hello', { answers: [...answerers.keys()], isNew } satisfies Hello)

  function forgetGone(): void {
    for (const [from, { seenAt }] of peers) if (performance.now() - seenAt > GONE_AFTER_MS) peers.delete(from)
  }

  function whoAnswers(about: string): Set<string> {
    forgetGone()
    return new Set([...peers].filter(([, { answers }]) => answers.includes(about)).map(([from]) => from))
  }

  interface Asked {
    id: string
    about: string
    question: unknown
  }

  async function reply({ id, about, question }: Asked): Promise<void> {
    sendToOthers('answer', { id, answer: await answerOwn(about, question) })
  }

  async function answerOwn(about: string, question: unknown): Promise<unknown> {
    try {
      return await answerers.get(about)?.(question as never)
    } catch (error) {
      log.warn({ about, error: String(error) }, 'a question of a node could not be answered')
      return undefined
    }
  }

  function readAgain(): void {
    gaps++
    for (const listener of gapListeners) listener()
  }

  await transport?.start(receive, () => {
    // Ours may have been lost as well.
    sendToOthers('gap', null)
    readAgain()
  })

  const greeting = transport && setInterval(() => greet(false), HELLO_EVERY_MS)
  greeting?.unref()
  if (transport) greet(true)

  return {
    publish(topic, message) {
      deliver(topic, message)
      sendToOthers(topic, message)
    },
    publishToOthers: sendToOthers,
    subscribe(topic, listener) {
      const set = listeners.get(topic) ?? new Set()
      listeners.set(topic, set)
      set.add(listener as (message: never) => void)
      return () => set.delete(listener as (message: never) => void)
    },
    async ask(about, question, { patienceMs, isEnough }) {
      const answers: Parameters<typeof isEnough>[0][] = []
      const own = (await answerOwn(about, question)) as (typeof answers)[number] | undefined
      if (own !== undefined) answers.push(own)
      const unanswered = whoAnswers(about)
      if (unanswered.size === 0 || (own !== undefined && isEnough(own))) return answers
      const id = randomUUID()
      await new Promise<void>((resolve) => {
        const end = () => {
          clearTimeout(timer)
          open.delete(id)
          resolve()
        }
        const timer = setTimeout(end, patienceMs)
        open.set(id, (from, given) => {
          const answer = given as (typeof answers)[number] | undefined
          unanswered.delete(from)
          if (answer !== undefined) answers.push(answer)
          if (unanswered.size === 0 || (answer !== undefined && isEnough(answer))) end()
        })
        sendToOthers('ask', { id, about, question } satisfies Asked)
      })
      return answers
    },
    answer(about, answerer) {
      answerers.set(about, answerer as (question: never) => Promise<unknown>)
      greet(false)
    },
    onGap(listener) {
      gapListeners.push(listener)
    },
    state() {
      forgetGone()
      const since = transport?.lostSince()
      const lostForMs = since === undefined ? undefined : performance.now() - since
      return { lostForMs, gaps, lost: lostEver, peers: peers.size }
    },
    async stop() {
      stopping = true
      clearInterval(greeting)
      answerers.clear()
      greet(false)
      await sending
      await transport?.stop()
    },
  }
}
