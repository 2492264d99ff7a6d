import { contactMessage, type Installation, type supportCalls } from '#contract/messages/support.ts'
import { Problem } from '#contract/problem.ts'
import { usdToNumber } from '#kernel/money.ts'
import type { Db } from '../platform/database/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { examineParts, type HealthNotes, type HealthParts, problemsOf } from '../platform/observe/health.ts'
import { maxStake } from '../trading/index.ts'
import { type ContactDeps, takeMessage } from './contact.ts'

export { type Chat, type ChatQuestions, type ChatTopics, openChat } from './chat/chat.ts'
export { closeContact, contactLimits, replyToContact } from './contact.ts'
export { eraseOldConversations } from './erase.ts'

interface SupportDeps {
  contact: ContactDeps
  installation: Omit<Installation, 'max_stake'>
  db: Db
  parts: HealthParts
  notes(): HealthNotes
  /** Whether this node has begun to stop. */
  isStopping(): boolean
}

/** The public routes about the installation itself. */
export function supportRoutes(deps: SupportDeps): Handlers<keyof typeof supportCalls> {
  return {
    'GET /public/installation': async () => {
      return { status: true, data: { ...deps.installation, max_stake: usdToNumber(await maxStake(deps.db)) } }
    },

    'POST /public/contact': async ({ body, request }) => {
      await takeMessage(deps.contact, body, request)
      return { status: true, message: contactMessage }
    },

    'GET /health': async () => {
      const states = await examineParts(deps.parts)
      const problems = problemsOf(states)
      if (problems !== '') throw new Problem('unavailable', problems, { retryAfterSeconds: 2 })
      const up = Object.fromEntries(Object.keys(states).map((name) => [name, 'up']))
      return { status: true, data: { ...up, ...deps.notes() } }
    },

    'GET /ready': async () => {
      if (deps.isStopping()) throw new Problem('unavailable', 'This node is stopping.', { retryAfterSeconds: 2 })
      return { status: true }
    },
  }
}
