import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountOf } from '#server/ledger/index.ts'
import { inTransaction, sql } from '#server/platform/database/db.ts'
import { childrenOf } from '#tests/support/servers/nodes.ts'
import { type ServerProcess, startServer } from '#tests/support/servers/server.ts'
import { ownDatabase } from './engines.ts'
import type { Fault, FaultContext } from './fault.ts'

const HELD_MS = 40_000
/** How late the trades of others may settle, and how long their orders may wait. On a busy machine, twice what is usual. */
const LATE_MS = 1_000
const WAIT_MS = 500
const TRIES = 50
const RECEIPTS_WITHIN_MS = 30_000

/** Accounts that a node or a console keeps locked: only their own traders may notice. */
export const busyFaults = (heldMs = HELD_MS): Fault[] => [
  {
    name: 'lock-account',
    says: `one trader's accounts locked for ${heldMs / 1_000} s`,
    group: 'busy',
    async inject(context) {
      const { world, draw } = context
      const trader = draw.below(world.people.traders.length)
      await othersUnaffected(context, [trader], () =>
        inTransaction(world.database.db, async (tx) => {
          const { userId } = world.people.traders[trader]!
          await sql`select from accounts where user_id = ${userId} order by id for update`.execute(tx)
          await sleep(heldMs)
        }),
      )
      return 1
    },
  },
  {
    name: 'pause-web',
    says: `one of two webs is paused for ${heldMs / 1_000} s in the middle of its transactions`,
    group: 'busy',
    async inject(context) {
      const { world } = context
      const FILES_KEY = readFileSync(join(world.dataDir, 'files.key'), 'utf8').trim()
      const settings = { ...world.settings, ...ownDatabase(world), FILES_KEY, ROLES: 'web' }
      const second = await startServer(world.folder(), settings)
      try {
        const traders = world.people.traders.map((_, trader) => trader).slice(0, 2)
        await othersUnaffected(context, traders, () => pauseInTransactions(context, second, traders, heldMs))
      } finally {
        await second.end('SIGTERM')
      }
      return 1
    },
  },
]

/** Pauses a web while transactions of these traders hold their accounts' locks, and lets it continue afterwards. */
async function pauseInTransactions(
  { world, client }: FaultContext,
  web: ServerProcess,
  traders: readonly number[],
  heldMs: number,
): Promise<void> {
  let isOver = false
  const tokens = await Promise.all(traders.map((trader) => client.tokenOf(trader)))
  // Rejected for lack of money, with the account's lock: nothing changes.
  const askTooMuch = async (token: string): Promise<void> => {
    while (!isOver)
      await fetch(`${web.origin}/api/withdraw`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ amount: 9_000_000, wallet: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }),
        signal: AbortSignal.timeout(heldMs),
      }).catch(() => undefined)
  }
  const asking = tokens.flatMap((token) => [askTooMuch(token), askTooMuch(token)])
  const processes = [web.pid, ...childrenOf(web.pid)]
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => processes.forEach((pid) => void process.kill(pid, name))
  try {
    for (let tries = 0; ; tries++) {
      if (tries === TRIES) throw new Error('the paused web held no lock in any of the tries')
      await sleep(50)
      signal('SIGSTOP')
      if (await isAnyLocked(world, traders)) break
      signal('SIGCONT')
    }
    await sleep(heldMs)
  } finally {
    signal('SIGCONT')
    isOver = true
    await Promise.all(asking)
  }
}

/** Whether an account of these traders stays locked: longer than any statement takes. */
async function isAnyLocked({ database, people }: FaultContext['world'], traders: readonly number[]): Promise<boolean> {
  const ids = traders.flatMap((trader) =>
    (['real', 'demo'] as const).map((mode) => accountOf(people.traders[trader]!.userId, mode)),
  )
  for (let times = 0; times < 5; times++) {
    const { rows } = await sql`
      select from accounts where id = any (${ids}::bigint[]) for no key update skip locked`.execute(database.db)
    if (rows.length === ids.length) return false
    await sleep(40)
  }
  return true
}

/** Does something to some traders, and throws if the orders or trades of others are slower than before. */
async function othersUnaffected(context: FaultContext, involved: readonly number[], work: () => Promise<void>) {
  const from = Date.now()
  const usual = await slowest(context, involved, 0, from)
  await work()
  const to = Date.now()
  const during = await slowest(context, involved, from, to)
  if (during.orders === 0) throw new Error('no order of another trader was answered')
  const bounds = { orderMs: Math.max(WAIT_MS, 2 * usual.orderMs), lateMs: Math.max(LATE_MS, 2 * usual.lateMs) }
  if (during.orderMs > bounds.orderMs)
    throw new Error(`an order of another trader waited ${during.orderMs} ms, at most ${bounds.orderMs} are allowed`)
  if (during.lateMs > bounds.lateMs)
    throw new Error(`a trade of another trader settled ${during.lateMs} ms late, at most ${bounds.lateMs} are allowed`)
  await receiptsOf(context, to)
}

/** The slowest order and settlement between two times, of traders who aren't involved; only the last minute of load. */
async function slowest({ world, journal }: FaultContext, involved: readonly number[], from: number, to: number) {
  const { traders } = world.people
  const waits = journal.entries.flatMap(({ operation, sentAt = 0, tookMs }) =>
    operation.kind === 'trade' &&
    !involved.includes(operation.trader) &&
    tookMs !== undefined &&
    sentAt >= from &&
    sentAt + tookMs < to
      ? [tookMs]
      : [],
  )
  const users = involved.map((trader) => traders[trader]!.userId)
  const { rows } = await sql<{ late: number | null }>`
    select max(extract(epoch from settled_at) * 1000 - end_time)::float8 as late from trades
    where end_time between ${Math.max(from, to - 60_000)}::bigint and ${to - 5_000}::bigint and settled_at is not null
      and account_id / 2 <> all (${users}::bigint[])`.execute(world.database.db)
  return {
    orders: waits.length,
    orderMs: Math.round(Math.max(0, ...waits)),
    lateMs: Math.round(rows[0]!.late ?? 0),
  }
}

/** Waits until every trade that was settled by `until` is in a checkpoint. */
async function receiptsOf({ world }: FaultContext, until: number): Promise<void> {
  for (const end = performance.now() + RECEIPTS_WITHIN_MS; ; await sleep(200)) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from unstated_trades u join trades t on t.id = u.trade_id
      where t.settled_at <= ${new Date(until)}`.execute(world.database.db)
    if (rows[0]!.n === 0) return
    if (performance.now() > end) throw new Error(`${rows[0]!.n} settled trades have no receipt`)
  }
}
