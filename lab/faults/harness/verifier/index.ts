import { setTimeout as sleep } from 'node:timers/promises'
import { verifyAll } from '#ops/commands/verify-all.ts'
import { type Db, inSnapshot, sql } from '#server/platform/database/db.ts'
import type { Client } from '../client.ts'
import type { Journal } from '../journal.ts'
import type { Observer } from '../observer.ts'
import type { Product } from '../world.ts'
import { moneyMissing, salesMissing, tradesMissing, waitingMissing } from './acknowledged.ts'
import { balancesWrong, type Holdings } from './balances.ts'
import type { CheckName, Finding } from './finding.ts'
import { judgeByTape, type StoredTrade, storedSales, storedTrades, storedWaiting } from './outcomes.ts'
import { pushMissing } from './pushes.ts'
import { tapeChanged } from './tape.ts'

/** When a fault was injected and when the product was up again, Unix ms. */
interface Span {
  from: number
  to: number
  /** The clock jumped, so settlement times mean nothing. */
  clockJumped?: boolean
}

const LATE_MS = 5_000
/** So many frames in a row that come one by one show that nodes are notified of them. */
const FRAMES = 6
const AT_ONCE_MS = 30
const comeOneByOne = (arrivals: readonly number[]) =>
  arrivals.length === FRAMES && arrivals.every((at, i) => i === 0 || at - arrivals[i - 1]! > AT_ONCE_MS)

/** Opens a verifier that remembers what it has seen, so that each check covers the whole run. */
export function openVerifier(world: Product, journal: Journal, observer: Observer, client: Client) {
  const judge = judgeByTape()
  /** Trades that the harness itself wrote as a backlog. */
  const written = new Set<bigint>()
  const spans: Span[] = []
  let judgedUntil = 0

  /** Reports trades that are late. A trade that ended during a fault is due 5 s after its end. */
  function late(trades: readonly StoredTrade[], head: number): string[] {
    const latest = spans.at(-1)
    const begin = judgedUntil
    judgedUntil = Date.now()
    return trades.flatMap(({ id, end_time, status, settled_ms }) => {
      const end = Number(end_time)
      if (status === 'Pending')
        return end + LATE_MS < head ? [`trade ${id} ended ${head - end} ms ago and is pending`] : []
      if (written.has(id) || settled_ms === null || settled_ms < begin) return []
      const span = spans.find(({ from, to }) => end >= from - LATE_MS && end <= to + LATE_MS)
      if (span?.clockJumped) return []
      const due = Math.max(end, span?.to ?? 0) + LATE_MS
      return settled_ms > due && latest ? [`trade ${id} settled ${Math.round(settled_ms - due)} ms too late`] : []
    })
  }

  async function shownAgain(): Promise<string[]> {
    const seen = observer.arrivals.length
    const fresh = () => observer.arrivals.slice(seen)
    for (const until = performance.now() + LATE_MS; performance.now() < until; await sleep(50))
      if (comeOneByOne(fresh().slice(-FRAMES))) return []
    return fresh().length === 0
      ? [`no client has received a frame for ${LATE_MS} ms`]
      : ['a client receives several frames at once: its node finds them only when it looks']
  }

  /** Compares the balances that the API returns with the accounts; retries in case they change in between. */
  async function balancesShown(db: Db): Promise<string[]> {
    const wrong: string[] = []
    for (const [number, { userId }] of world.people.traders.entries()) {
      let says = ''
      for (let tries = 0; tries < 5; tries++) {
        const token = await client.tokenOf(number)
        const { json } = await client.ask({ method: 'GET', path: '/users/me', token })
        const { rows } = await sql<{ mode: string; balance: bigint }>`
          select mode, balance from accounts where user_id = ${userId}`.execute(db)
        const stored = Object.fromEntries(rows.map((row) => [row.mode, Number(row.balance) / 100]))
        const { balance, demo_balance } = json.data ?? {}
        says = `trader ${number} sees ${balance} and ${demo_balance}, and has ${stored.real} and ${stored.demo}`
        if (balance === stored.real && demo_balance === stored.demo) break
        if (tries === 4) wrong.push(says)
        await sleep(200)
      }
    }
    return wrong
  }

  return {
    written,
    /** Runs every check. Call it while no operation is in flight and no outcome is unknown. */
    async verify(span: Span): Promise<Finding[]> {
      spans.push(span)
      const findings: Finding[] = []
      const tell = (check: CheckName, found: readonly string[]) => {
        for (const says of found.slice(0, 5)) findings.push({ check, says })
      }
      const { db } = world.database
      tell('recovers', [...(await shownAgain()), ...(await pushMissing(world, client, journal))])
      const sinceRecovery = Date.now() - span.to
      if (sinceRecovery < LATE_MS) await sleep(LATE_MS - sinceRecovery)

      const facts = await inSnapshot(db, async (snapshot) => {
        const trades = await storedTrades(snapshot as unknown as Db)
        const { rows } = await sql<Holdings & { id: bigint }>`select id, balance, escrow, hold from accounts`.execute(
          snapshot as unknown as Db,
        )
        const sales = await storedSales(snapshot as unknown as Db)
        const orders = await storedWaiting(snapshot as unknown as Db)
        const { rows: head } = await sql<{ t: bigint }>`select t from tape_head`.execute(snapshot as unknown as Db)
        return { trades, sales, orders, accounts: new Map(rows.map((row) => [row.id, row])), head: Number(head[0]!.t) }
      })
      const { trades, sales, orders, accounts, head } = facts
      tell('responses', journal.complaints.splice(0))
      tell('acknowledged', tradesMissing(journal, world.people, trades, written))
      tell('acknowledged', waitingMissing(journal, world.people, { orders, trades, head }))
      tell('acknowledged', salesMissing(journal, { sales, trades }))
      tell('acknowledged', await moneyMissing(journal, db))
      const verdicts = await judge.verdictsOf(db, trades, sales)
      tell(
        'outcomes',
        trades.flatMap(({ id, status, payout }) => {
          const verdict = verdicts.get(id)
          if (!verdict || (verdict.status === status && verdict.payout === payout)) return []
          return [
            `trade ${id} is ${status} with ${payout} cents, and the tape says ${verdict.status} ${verdict.payout}`,
          ]
        }),
      )
      tell('balances', balancesWrong(journal, world.people, { trades, verdicts, accounts }))
      tell('balances', await balancesShown(db))
      tell('in-time', late(trades, head))
      tell('one-writer', observer.complaints.splice(0))
      const { rewritten, unstored } = await tapeChanged(observer, db)
      tell('tape-final', [...rewritten, ...unstored])
      const books = await verifyAll(db)
      tell(
        'books',
        books.flatMap(({ name, says, broken }) => (broken === undefined ? [] : [`${name}: ${says}: ${broken}`])),
      )
      return findings
    },
  }
}
export type Verifier = ReturnType<typeof openVerifier>
