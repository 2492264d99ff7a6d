import type { User } from '#contract/account/user.ts'
import { CallError } from '#web/client/index.ts'
import { setModeHere, signIn, useStore } from '../store.ts'

/** The id of a visitor who tries the demo: their account is opened with their first trade. */
export const VISITOR = 'visitor'

/** The user of the demo before its account is opened, with the balance that a new account gets. */
const NEW_GUEST: User = {
  ...{ id: VISITOR, email: '', email_verified: false, firstname: 'Guest', lastname: 'Trader' },
  ...{ phone: '', gender: '', date_of_birth: '', country: '', state: '', city: '', address: '', avatar: null },
  ...{ referral_code: '', balance: 0, demo_balance: 10_000, trading_plan: '', plan_request: null },
}

/** What the lists of an account hold before its first trade. */
const EMPTY: Record<string, unknown> = {
  'GET /trading': { status: true, data: [] },
  'GET /notices': { status: true, data: [], unread: 0 },
  'GET /users/screen': { status: true, data: {} },
}
/** What anyone may call. */
const PUBLIC = /^(GET \/(prices|public|proof\/(receipt|checkpoints|day|keys))\b|POST \/auth\/)/

export const isVisitor = (): boolean => useStore.getState().auth.user_data?.id === VISITOR

type Auth = ReturnType<typeof useStore.getState>['auth']

/** Whether a visitor's first trade has just opened their account. */
export const becameGuest = (auth: Auth, before: Auth): boolean =>
  before.user_data?.id === VISITOR && auth.tokens !== null && auth.user_data?.email === ''

/** Makes this browser's user a visitor, without an account. */
export function beginVisit(): void {
  useStore.setState({ auth: { user_data: NEW_GUEST, tokens: null } })
  setModeHere('demo')
}

type Call = (name: never, ...args: never[]) => Promise<unknown>

/** The account that is being opened: two presses in a row open one. */
let opening: Promise<void> | undefined

async function openAccount(call: Call): Promise<void> {
  const { data, tokens } = (await call('POST /auth/guest' as never)) as { data: User; tokens: never }
  if (isVisitor()) signIn(data, tokens)
}

/**
 * Answers a visitor's call: their empty lists from here, what is public by the server. The first order opens an account
 * for the visitor.
 */
export async function callAsVisitor(call: Call, name: string, args: unknown[]): Promise<unknown> {
  if (name in EMPTY) return EMPTY[name]
  if (name === 'POST /trading/submit') {
    opening ??= openAccount(call).finally(() => {
      opening = undefined
    })
    await opening
  } else if (!PUBLIC.test(name)) throw new CallError('Place your first trade, or create an account.')
  return call(name as never, ...(args as never[]))
}
