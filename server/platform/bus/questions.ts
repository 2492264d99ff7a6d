import { randomUUID } from 'node:crypto'
import type { Log } from '../process/log.ts'
import type { Outbox } from './outbox.ts'
import type { Peers } from './peers.ts'

/** A question on its way. */
export interface Asked {
  id: string
  about: string
  question: unknown
}

export interface Answered {
  id: string
  answer: unknown
}

/** Questions between nodes, and this node's answers. */
interface Questions {
  /** Asks every node; see `Bus.ask`. */
  ask<Answer>(
    about: string,
    question: unknown,
    options: { patienceMs: number; isEnough(answer: Answer): boolean },
  ): Promise<Answer[]>
  /** What this node answers from now on. */
  answer(about: string, answerer: (question: never) => Promise<unknown>): void
  /** Answers nothing any more. */
  clear(): void
  /** What this node answers. */
  topics(): string[]
  /** A node asks. */
  asked(asked: Asked): Promise<void>
  /** A node has answered. */
  answered(from: string, answered: Answered): void
}

export function createQuestions(outbox: Outbox, peers: Peers, log: Log): Questions {
  const answerers = new Map<string, (question: never) => Promise<unknown>>()
  const open = new Map<string, (from: string, answer: unknown) => void>()

  async function answerOwn(about: string, question: unknown): Promise<unknown> {
    try {
      return await answerers.get(about)?.(question as never)
    } catch (error) {
      log.warn({ about, error: String(error) }, 'a question of a node could not be answered')
      return undefined
    }
  }

  return {
    async ask<Answer>(
      about: string,
      question: unknown,
      { patienceMs, isEnough }: { patienceMs: number; isEnough(answer: Answer): boolean },
    ) {
      const answers: Answer[] = []
      const own = (await answerOwn(about, question)) as Answer | undefined
      if (own !== undefined) answers.push(own)
      const unanswered = peers.answering(about)
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
          const answer = given as Answer | undefined
          unanswered.delete(from)
          if (answer !== undefined) answers.push(answer)
          if (unanswered.size === 0 || (answer !== undefined && isEnough(answer))) end()
        })
        outbox.send('ask', { id, about, question } satisfies Asked)
      })
      return answers
    },
    answer(about, answerer) {
      answerers.set(about, answerer)
    },
    clear: () => answerers.clear(),
    topics: () => [...answerers.keys()],
    async asked({ id, about, question }) {
      outbox.send('answer', { id, answer: await answerOwn(about, question) } satisfies Answered)
    },
    answered(from, { id, answer }) {
      open.get(id)?.(from, answer)
    },
  }
}
