import { Problem } from '#contract/problem.ts'
import { contactMessage, type Installation, type supportCalls } from '#contract/support.ts'
import { usdToNumber } from '#kernel/money.ts'
import type { Db } from '../platform/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import { maxStake } from '../trading/index.ts'
import { type ContactDeps, takeMessage } from './contact.ts'

export { type Chat, openChat } from './chat/chat.ts'
export { closeContact, contactLimits, replyToContact } from './contact.ts'

export interface SupportDeps {
  contact: ContactDeps
  installation: Omit<Installation, 'max_stake'>
  db: Db
  /** Checks of the service's parts: each returns an empty text when healthy, otherwise the problem. */
  parts: Record<string, () => Promise<string>>
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
      const states = await Promise.all(
        Object.entries(deps.parts).map(async ([name, ask]) => [name, await ask().catch(() => 'is down')] as const),
      )
      const down = states.filter(([, wrong]) => wrong !== '')
      if (down.length > 0) {
        throw new Problem('unavailable', down.map(([name, wrong]) => `${name}: ${wrong}`).join('; '), {
          retryAfterSeconds: 2,
        })
      }
      return { status: true, data: Object.fromEntries(states.map(([name]) => [name, 'up'])) }
    },
  }
}
