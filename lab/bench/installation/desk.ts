/**
 * The desk with 16 operators, on a ledger of a million rows. For approve, reject and paid: p99 of the response compared
 * with that of a look-up by primary key. For the pages of a queue and of a user: CPU of server and database per call,
 * compared with the same look-up. The look-up is a desk call like the others (same server, same sign-in) that returns
 * one row by its key.
 *
 * node lab/bench/installation/desk.ts [rounds] [items a round]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { idSource, publicId } from '#kernel/id.ts'
import { usd } from '#kernel/money.ts'
import { startApp } from '#server/app/app.ts'
import { readConfig } from '#server/config/config.ts'
import { authenticateOperator, inviteFromHost } from '#server/desk/index.ts'
import { accountOf, openAccounts, post } from '#server/ledger/index.ts'
import { inTransaction, openDatabase, sql } from '#server/platform/database/db.ts'
import { openReads } from '#server/platform/database/reads.ts'
import { createHttp, type Handlers, JsonText } from '#server/platform/http/index.ts'
import { createLog } from '#server/platform/process/log.ts'
import { changeSettings } from '#tests/support/people/settings.ts'
import { totpCode } from '#tests/support/totp-code.ts'
import { fund, openUser } from '#tests/support/trades/money.ts'
import { transactionId } from '#tests/support/transaction-id.ts'
import { databaseCpu } from '../support/cpu.ts'
import type { Calls, CallsDone } from '../support/load/calls.ts'
import { inChild } from '../support/load/children.ts'
import { benchPostgres, median } from '../support/postgres.ts'

const ROUNDS = Number(process.argv[2] ?? 5)
const ITEMS = Number(process.argv[3] ?? 400)
const OPERATORS = 16
const LEDGER_ROWS = 1_000_000
/** The user with the long ledger. */
const RICH = 1
/**
 * The users whose deposits and withdrawals are processed. Enough of them that operators rarely wait for the same row.
 */
const USERS = 400
const FIRST_USER = 1_000

const postgres = await benchPostgres()
const dataDir = mkdtempSync(join(tmpdir(), 'cleartick-bench-desk-'))
try {
  const log = createLog('error')
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, FEED: 'simulation:bench', RATE_LIMITS: 'off' })
  const app = await startApp({ config, log, urls: postgres.urls })
  const owner = openDatabase(postgres.superUrl, { max: 2, name: 'bench', log })
  const call = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${app.port}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = (await response.json()) as { data?: { secret?: string }; tokens?: { access: { token: string } } }
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer
  }

  const tokens: string[] = []
  for (let n = 0; n < OPERATORS; n++) {
    const email = `operator${n}@desk.example`
    const { token } = await inviteFromHost(owner.db, { email, roles: ['finance', 'compliance', 'support', 'auditor'] })
    const { data } = await call('/desk/auth/join', { token, password: 'bench-password' })
    await call('/desk/auth/join/confirm', { token, code: totpCode(data!.secret!, Date.now() - 30_000) })
    const { tokens: given } = await call('/desk/auth/login', {
      email,
      password: 'bench-password',
      code: totpCode(data!.secret!),
    })
    tokens.push(given!.access.token)
  }
  await call('/auth/register', {
    firstname: 'Bench',
    lastname: 'User',
    email: 'bench@example.org',
    password: 'bench-password',
    confirmPassword: 'bench-password',
  })
  await inTransaction(owner.db, (tx) => fund(tx, BigInt(RICH), usd(9_000_000_00n)))
  for (let n = 0; n < USERS; n++) {
    await inTransaction(owner.db, async (tx) => {
      const userId = BigInt(FIRST_USER + n)
      await openUser(tx, userId)
      await openAccounts(tx, userId)
      await fund(tx, userId, usd(100_000n))
    })
  }
  await ledgerRows()
  const day = { deposit_operator_day_amount: 1_000_000_000, withdraw_operator_day_amount: 1_000_000_000 }
  await changeSettings(owner.db, day, (tx) =>
    sql`
      update cashier_settings set deposit_operator_day_above = 100000000000,
        withdrawal_operator_day_above = 100000000000`.execute(tx),
  )
  console.log(`${OPERATORS} operators signed in, ${LEDGER_ROWS} ledger rows`)

  const newId = idSource(1_000)
  const ids = (count: number) => Array.from({ length: count }, newId)
  async function deposits(count: number): Promise<string[]> {
    const made = ids(count)
    await postgres.run(`insert into deposits (id, user_id, method, coin, submitted, coin_amount, rate, address, receipt, receipt_hash)
      select id, ${FIRST_USER} + (row_number() over ()) % ${USERS}, 'crypto', 'BTC', 10000, 0.001, 100000, 'test', md5(id::text) || left(md5(id::text), 8), sha256(id::text::bytea)
      from unnest(array[${made.join(',')}]::bigint[]) id`)
    await postgres.run(`insert into deposit_arrivals (deposit_id, user_id, coin, transaction_id, coins, arrived_at, rate, amount, operator_id)
      select id, user_id, coin, encode(sha256(id::text::bytea), 'hex'), coin_amount, created_at, rate, submitted, (select min(id) from operators)
      from deposits where id = any(array[${made.join(',')}]::bigint[])`)
    return made.map(publicId)
  }
  /** Creates approved withdrawals that are ready to be paid. */
  async function processing(count: number): Promise<string[]> {
    const made = ids(count)
    for (const [n, id] of made.entries()) {
      const userId = BigInt(FIRST_USER + (n % USERS))
      await inTransaction(owner.db, async (tx) => {
        await tx
          .insertInto('withdrawals')
          .values({ id, user_id: userId, method: 'crypto', coin: 'BTC', wallet: 'bench', amount: usd(100n) })
          .execute()
        await post(tx, {
          userId,
          mode: 'real',
          cause: 'withdraw_hold',
          causeId: id,
          parts: [{ debit: 'balance', credit: 'hold', amount: usd(100n) }],
        })
      })
    }
    // The last operator approves no deposit, so that one approval is enough.
    await fetchAll(
      made.map((id) => ({
        token: tokens.at(-1)!,
        method: 'POST',
        path: `/api/desk/withdrawals/${publicId(id)}/approve`,
      })),
    )
    return made.map(publicId)
  }
  const fetchAll = (calls: Calls['calls'], port = app.port): Promise<CallsDone> =>
    inChild<CallsDone>('calls.ts', { port, calls, connections: OPERATORS } satisfies Calls)
  const spread = (paths: readonly string[], method: string, body?: object | (() => object)): Calls['calls'] =>
    paths.map((path, n) => ({
      token: tokens[n % (OPERATORS - 1)]!,
      method,
      path: `/api/desk${path}`,
      ...(body ? { body: typeof body === 'function' ? body() : body } : {}),
    }))
  const reference = await lookUpServer()
  const lookUps = (count: number): Promise<CallsDone> =>
    fetchAll(
      spread(
        Array.from({ length: count }, (_, n) => `/users/${FIRST_USER + (n % USERS)}`),
        'GET',
      ),
      reference.port,
    )
  const p99 = ({ times }: CallsDone) => times[Math.floor(times.length * 0.99)]!
  const ratios: Record<string, number[]> = {}
  const note = (name: string, ratio: number, words: string) => {
    const list = ratios[name] ?? []
    list.push(ratio)
    ratios[name] = list
    console.log(`${name}: ${words}, x${ratio.toFixed(2)}`)
  }

  const thingsToDo = async (count: number): Promise<[string, Calls['calls']][]> => [
    [
      'approve',
      spread(
        (await deposits(count)).map((id) => `/deposits/${id}/approve`),
        'POST',
        { amount: 100 },
      ),
    ],
    [
      'reject',
      spread(
        (await deposits(count)).map((id) => `/deposits/${id}/reject`),
        'POST',
        { reason: 'Bench.' },
      ),
    ],
    [
      'paid',
      spread(
        (await processing(count)).map((id) => `/withdrawals/${id}/paid`),
        'POST',
        () => ({ reference: transactionId() }),
      ),
    ],
  ]

  // Warm up, so that the tables have statistics and each connection has cached its plans.
  await lookUps(2_000)
  for (const perOperator of [25, 10]) {
    for (const [, calls] of await thingsToDo(OPERATORS * perOperator)) await fetchAll(calls)
    if (perOperator === 25) await postgres.run('analyze')
  }
  for (let round = 1; round <= ROUNDS; round++) {
    const ofLookUp = p99(await lookUps(ITEMS * 4))
    const actions = await thingsToDo(ITEMS)
    for (const [name, calls] of actions) {
      const done = await fetchAll(calls)
      if (done.statuses[200] !== calls.length) throw new Error(`${name}: ${JSON.stringify(done.statuses)}`)
      note(name, p99(done) / ofLookUp, `p99 ${p99(done).toFixed(1)} ms, look-up ${ofLookUp.toFixed(1)} ms`)
    }
    const cpuOfLookUp = await cpuOf(() => lookUps(ITEMS * 4))
    for (const [name, path] of [
      // The same request as the queue's screen.
      ['queue page', '/deposits?status=Pending&order=oldest&limit=20'],
      ["user's ledger page", `/users/${RICH}/ledger?book=demo`],
      ["user's page", `/users/${RICH}`],
    ] as const) {
      if (name === 'queue page') await deposits(60)
      const calls = spread(
        Array.from({ length: ITEMS }, () => path),
        'GET',
      )
      if (round === 1) await fetchAll(calls)
      const cpu = await cpuOf(() => fetchAll(calls))
      note(name, cpu / cpuOfLookUp, `${cpu.toFixed(0)} us of CPU a call, look-up ${cpuOfLookUp.toFixed(0)} us`)
    }
  }
  for (const [name, list] of Object.entries(ratios))
    console.log(`${name}: ${median(list).toFixed(2)} times the look-up (at most ${/page/.test(name) ? 3.5 : 5} wanted)`)

  /** Returns the CPU that server and database use per call, microseconds. */
  async function cpuOf(work: () => Promise<CallsDone>): Promise<number> {
    const before = [process.cpuUsage(), databaseCpu(postgres)] as const
    const { statuses, times } = await work()
    if (statuses[200] !== times.length) throw new Error(JSON.stringify(statuses))
    const ours = process.cpuUsage(before[0])
    return (ours.user + ours.system + databaseCpu(postgres) - before[1]) / times.length
  }

  /** The reference: the user's page reduced to the user's row, read by its key. */
  async function lookUpServer(): Promise<{ port: number; close(): Promise<void> }> {
    const database = openDatabase(postgres.urls.app, { max: 16, name: 'look-up', log })
    const { db, close } = database
    const http = await createHttp({
      log,
      trustProxy: undefined,
      insecureCookies: true,
      rateFactor: undefined,
      authenticate: async () => undefined,
      authenticateOperator: (token) => authenticateOperator(db, token),
    })
    const answer = async ({ params }: { params: { id: string } }) => {
      const { rows } = await sql`
        select id::text, email, firstname, lastname, phone, state, city, address, created_at from users where id = ${BigInt(params.id)}`.execute(
        db,
      )
      if (rows.length !== 1) throw new Error(`user ${params.id} does not exist`)
      return new JsonText(JSON.stringify({ status: true, data: rows[0] }))
    }
    http.serve(
      openReads({ db: database, lists: database }, undefined),
      new Proxy({}, { get: () => answer }) as Handlers,
    )
    return {
      port: await http.listen('127.0.0.1', 0),
      async close() {
        await http.close()
        await close()
      },
    }
  }

  /** Inserts a million movements of one trader, as if by opening trades, and updates the account to match. */
  async function ledgerRows(): Promise<void> {
    // Demo grants: made-up movements of real money would differ from the books, and halt payouts.
    const account = accountOf(BigInt(RICH), 'demo')
    await postgres.run(`
      begin;
      alter table accounts disable trigger user;
      alter table transfers disable trigger user;
      insert into transfers (cause, cause_id, part, account_id, mode, debit, credit, amount, account_seq, balance_after, at)
      select 'demo_grant', 1000000 + n, 1, a.id, 'demo', 'mint', 'balance', 1, a.seq + n, a.balance + n, now()
      from generate_series(1, ${LEDGER_ROWS}) n, accounts a where a.id = ${account};
      update accounts set balance = balance + ${LEDGER_ROWS}, seq = seq + ${LEDGER_ROWS} where id = ${account};
      alter table accounts enable trigger user;
      alter table transfers enable trigger user;
      commit`)
    await postgres.run('analyze')
  }

  await owner.close()
  await reference.close()
  await app.stop()
} finally {
  await postgres.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
