import { randomUUID } from 'node:crypto'
import type { OperatorRole } from '#contract/terms.ts'
import { HOST, invite } from '#server/desk/index.ts'
import { totpCode } from '#server/platform/totp.ts'
import type { Reply, Sent, WholeApp } from './app.ts'

const PERIOD_MS = 30_000
export const DESK_PASSWORD = 'difference engine'

/** Somebody who is signed in at the desk. */
export interface DeskOperator {
  id: string
  email: string
  roles: OperatorRole[]
  secret: string
  token: string
  /** One call of the desk. */
  ask(method: string, path: string, sent?: Omit<Sent, 'token'>): Promise<Reply>
}

/** Invites, joins and signs in, as a person would. The code that joins is the one before, so that the next one is unused. */
export async function operator(
  app: WholeApp,
  roles: OperatorRole[],
  email = `${roles[0]}-${randomUUID().slice(0, 8)}@desk.example`,
): Promise<DeskOperator> {
  const { token } = await invite(app.db, HOST, { email, roles })
  const { data } = await good(app, '/api/desk/auth/join', { token, password: DESK_PASSWORD })
  const { secret } = data as { secret: string }
  await good(app, '/api/desk/auth/join/confirm', { token, code: totpCode(secret, Date.now() - PERIOD_MS) })
  return signInAgain(app, { email, secret }, Date.now())
}

/** Signs in with the code of a moment; each works once. */
export async function signInAgain(
  app: WholeApp,
  { email, secret }: { email: string; secret: string },
  atMs: number,
): Promise<DeskOperator> {
  const body = { email, password: DESK_PASSWORD, code: totpCode(secret, atMs) }
  const { data, tokens } = await good(app, '/api/desk/auth/login', body)
  const { id, roles } = data as { id: string; roles: OperatorRole[] }
  const { token } = (tokens as { access: { token: string } }).access
  return {
    id,
    email,
    roles,
    secret,
    token,
    ask: (method, path, sent) => app.send(method, `/api/desk${path}`, { ...sent, token }),
  }
}

async function good(app: WholeApp, path: string, body: object): Promise<NonNullable<Reply['json']>> {
  const reply = await app.send('POST', path, { body })
  if (reply.status !== 200 || !reply.json) throw new Error(`${path}: ${reply.status} ${reply.text}`)
  return reply.json
}
