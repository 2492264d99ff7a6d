import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { usd } from '#kernel/money.ts'
import { inviteFromHost } from '#server/desk/index.ts'
import { accountOf } from '#server/ledger/index.ts'
import { type Db, inTransaction, sql } from '#server/platform/database/db.ts'
import { registration } from '#tests/support/people/identity.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { call, openSuper, type ServerProcess } from '#tests/support/servers/server.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { fund, verifyUser } from '#tests/support/trades/money.ts'

/** A trader with a confirmed address, an approved ID and money. */
interface Trader {
  userId: bigint
  email: string
  password: string
}

/** An operator of the finance team. */
interface Operator {
  email: string
  secret: string
}

export interface People {
  traders: Trader[]
  operators: Operator[]
}

/** Each trader's initial balances, in cents. */
export const START_CENTS = { real: 20_000_000n, demo: 1_000_000n } as const
const DESK_PASSWORD = 'difference engine'
const PERIOD_MS = 30_000
const FILE = 'people.json'

/** Registers traders and operators on a new installation, and stores their credentials in its folder. */
export async function makePeople(
  server: Pick<ServerProcess, 'origin'>,
  dataDir: string,
  count: number,
): Promise<People> {
  const { db, close } = openSuper(dataDir)
  try {
    const traders = await Promise.all(Array.from({ length: count }, () => makeTrader(server, db)))
    const operators: Operator[] = []
    for (const name of ['anna', 'bert']) operators.push(await makeOperator(server, db, `${name}@desk.example`))
    // One operator is enough for every amount that the load moves.
    const alone = {
      ...{ deposit_two_person_amount: 1_000_000, withdraw_two_person_amount: 1_000_000 },
      ...{ deposit_operator_day_amount: 1_000_000_000, withdraw_operator_day_amount: 1_000_000_000 },
    }
    await changeSettings(db, alone, (tx) =>
      sql`
        update cashier_settings set deposit_two_person_above = 100000000, withdrawal_two_person_above = 100000000,
          deposit_operator_day_above = 100000000000, withdrawal_operator_day_above = 100000000000`.execute(tx),
    )
    const people = { traders, operators }
    const text = JSON.stringify(people, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
    writeFileSync(join(dataDir, FILE), text)
    return people
  } finally {
    await close()
  }
}

/** Reads the people of an installation that `makePeople` has prepared. */
export function readPeople(dataDir: string): People {
  const { traders, operators } = JSON.parse(readFileSync(join(dataDir, FILE), 'utf8')) as People
  return { traders: traders.map((trader) => ({ ...trader, userId: BigInt(trader.userId) })), operators }
}

async function makeTrader(server: Pick<ServerProcess, 'origin'>, db: Db): Promise<Trader> {
  const form = registration()
  const { status, json } = await call(server, 'POST', '/auth/register', { body: form })
  if (status !== 200) throw new Error(`registration: ${status} ${JSON.stringify(json)}`)
  const { id: userId } = await db
    .selectFrom('users')
    .select('id')
    .where('email', '=', form.email)
    .executeTakeFirstOrThrow()
  await verifyUser(db, userId)
  await inTransaction(db, (tx) => fund(tx, userId, usd(START_CENTS.real)))
  const demo = await db
    .selectFrom('accounts')
    .select('balance')
    .where('id', '=', accountOf(userId, 'demo'))
    .executeTakeFirstOrThrow()
  if (demo.balance !== START_CENTS.demo) throw new Error(`a demo account begins with ${demo.balance} cents`)
  return { userId, email: form.email, password: form.password }
}

async function makeOperator(server: Pick<ServerProcess, 'origin'>, db: Db, email: string): Promise<Operator> {
  const { token } = await inviteFromHost(db, { email, roles: ['finance'] })
  const joined = await call(server, 'POST', '/desk/auth/join', { body: { token, password: DESK_PASSWORD } })
  const { secret } = (joined.json as { data: { secret: string } }).data
  // Avoid the end of a period: the previous code is rejected once the next one begins.
  const leftMs = PERIOD_MS - (Date.now() % PERIOD_MS)
  if (leftMs < 5_000) await sleep(leftMs + 50)
  const code = totpCode(secret, Date.now() - PERIOD_MS)
  const confirmed = await call(server, 'POST', '/desk/auth/join/confirm', { body: { token, code } })
  if (confirmed.status !== 200) throw new Error(`${email}: ${JSON.stringify(confirmed.json)}`)
  return { email, secret }
}

/** Returns the credentials that sign an operator in. Each code works once. */
export const operatorLogin = ({ email, secret }: Operator, atMs: number) => ({
  email,
  password: DESK_PASSWORD,
  code: totpCode(secret, atMs),
})
