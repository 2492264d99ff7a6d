import { setTimeout as sleep } from 'node:timers/promises'
import { draws } from '#tests/support/random.ts'
import { type Client, tradeBody } from './client.ts'
import type { Entry, Journal, Operation, Outcome } from './journal.ts'

const SYMBOLS = ['BTCUSDT', 'ETHUSDT']
/** Each loop sends one operation after another, at most this many a second. */
const LOOP_PER_SECOND = 20
const LOOPS_LEAST = 10
/** Share of requests that are sent twice, and share of keys that are reused for another request. */
const REPEATED = 0.08
const REUSED = 0.02

/** A trade of a minute is for sale without its first and last ten seconds: so long after it was sent, ms. */
const FOR_SALE_MS = [12_000, 45_000] as const

interface Load {
  /** Stops, and resolves once the last request has been answered or has failed. */
  stop(): Promise<void>
}

/** `perSecond` is the target rate of operations. */
interface LoadOptions {
  seed: number
  traders: number
  perSecond: number
}

/**
 * Sends money operations at a steady rate until stopped, each with its own key, and records in the journal what the
 * client saw. The seed determines the operations; their order depends on the responses.
 */
export function startLoad(client: Client, journal: Journal, { seed, traders, perSecond }: LoadOptions): Load {
  const draw = draws(seed)
  const key = () => `${seed.toString(36)}-${journal.entries.length}-${draw.below(2 ** 31).toString(36)}`
  const count = Math.max(LOOPS_LEAST, Math.ceil(perSecond / LOOP_PER_SECOND))
  const pauseMs = (count * 1_000) / perSecond
  let stopped = false

  /** Withdrawals and deposits for later operations to follow up. An operation removes its item while in flight. */
  const items: Record<'requested' | 'approved' | 'begun' | 'submitted', Entry[]> = {
    requested: [],
    approved: [],
    begun: [],
    submitted: [],
  }
  /** Trades that may be sold: of earlier rounds too, as a round may be shorter than they take to be for sale. */
  let open: Entry[] = journal.acknowledged('trade')
  const take = (list: Entry[]): Entry | undefined => list.splice(draw.below(list.length), 1)[0]

  const trade = (): Trade => ({
    kind: 'trade',
    trader: draw.below(traders),
    mode: draw.chance(0.6) ? 'real' : 'demo',
    symbol: draw.pick(SYMBOLS),
    side: draw.chance(0.5) ? 'Buy' : 'Sell',
    cents: 100 + draw.below(300),
  })

  /** Chooses the next operation. Follow-ups that find no item become trades. */
  function next(): Operation {
    const roll = draw.random()
    if (roll < 0.1) return { kind: 'withdraw', trader: draw.below(traders), cents: 1_000 + draw.below(2_000) }
    if (roll < 0.2) {
      const entry = take(items.requested)
      if (!entry) return trade()
      const { trader } = entry.operation as { trader: number }
      const way = draw.random()
      if (way < 0.35) return { kind: 'cancel', trader, of: entry.n }
      return { kind: way < 0.5 ? 'reject' : 'approve', of: entry.n }
    }
    if (roll < 0.24) {
      const entry = take(items.approved)
      return entry ? { kind: 'pay', of: (entry.operation as { of: number }).of } : trade()
    }
    if (roll < 0.28) return { kind: 'card', trader: draw.below(traders), cents: 500 + draw.below(500) }
    if (roll < 0.32) {
      const entry = take(items.begun)
      return entry ? { kind: 'event', of: entry.n, cents: (entry.operation as { cents: number }).cents } : trade()
    }
    if (roll < 0.33) return { kind: 'deposit', trader: draw.below(traders), cents: 500 + draw.below(500) }
    if (roll < 0.345) {
      const entry = take(items.submitted)
      return entry ? { kind: 'credit', of: entry.n, cents: (entry.operation as { cents: number }).cents } : trade()
    }
    if (roll < 0.38) {
      open = open.filter((entry) => ageOf(entry) <= FOR_SALE_MS[1])
      const entry = take(open.filter(isForSale))
      return entry ? saleOf(entry, draw.chance(0.5) ? 1 : undefined) : trade()
    }
    if (roll < 0.41) return { ...trade(), kind: 'wait', at: Date.now() + 2_000 + draw.below(8_000) }
    return trade()
  }

  /** Makes the entry available for follow-up operations. */
  function file(entry: Entry): void {
    if (entry.outcome.kind !== 'acknowledged') return
    const { kind } = entry.operation
    if (kind === 'trade') open.push(entry)
    if (kind === 'withdraw') items.requested.push(entry)
    if (kind === 'approve') items.approved.push(entry)
    if (kind === 'card') items.begun.push(entry)
    if (kind === 'deposit') items.submitted.push(entry)
  }

  /** Reuses the key of a trade for another one, which must be rejected. */
  async function reuse({ key: used, operation }: Entry): Promise<void> {
    if (operation.kind !== 'trade') return
    const token = await client.tokenOf(operation.trader)
    const body = tradeBody({ ...operation, cents: operation.cents + 1 })
    const { status, json } = await client.ask({ method: 'POST', path: '/trading/submit', token, key: used, body })
    if (status < 500 && status !== 401 && json.code !== 'idempotency_mismatch')
      journal.complaints.push(`the key ${used} was used for another trade: ${status} ${JSON.stringify(json)}`)
  }

  async function loop(): Promise<void> {
    while (!stopped) {
      const began = performance.now()
      const entry = journal.add(key(), next())
      const twice = draw.chance(REPEATED)
      if (twice && draw.chance(0.5)) {
        // Send it twice at once: a double click, or a retry while the first request is in flight.
        const [first, second] = await Promise.all([client.perform(entry), client.perform(entry)])
        entry.outcome = certain(first, second)
        if (first.kind === 'acknowledged' && second.kind === 'acknowledged' && first.id !== second.id)
          journal.complaints.push(`${entry.operation.kind} ${entry.key} is ${first.id} and ${second.id}`)
      } else {
        entry.outcome = await client.perform(entry)
        if (twice) await repeat(client, journal, entry)
      }
      if (entry.outcome.kind === 'acknowledged' && draw.chance(REUSED)) await reuse(entry).catch(() => undefined)
      file(entry)
      // Back off briefly after a failure, as clients do.
      const least = entry.outcome.kind === 'unknown' ? 50 : 0
      await sleep(Math.max(least, pauseMs - (performance.now() - began)))
    }
  }

  const loops = Array.from({ length: count }, loop)
  return {
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
  }
}

type Trade = Extract<Operation, { kind: 'trade' }>

const ageOf = ({ sentAt = 0 }: Entry): number => Date.now() - sentAt
const isForSale = (entry: Entry): boolean => ageOf(entry) >= FOR_SALE_MS[0] && ageOf(entry) <= FOR_SALE_MS[1]

/** An order to sell a trade, for at least so many cents, or its stake. */
function saleOf({ n, operation }: Entry, cents?: number): Operation {
  const { trader, cents: stake } = operation as Trade
  return { kind: 'sell', trader, of: n, cents: cents ?? stake }
}

/** Combines two responses to the same request: a missing one may have been anything. */
function certain(first: Outcome, second: Outcome): Outcome {
  const both = [first, second]
  return both.find(({ kind }) => kind === 'acknowledged') ?? both.find(({ kind }) => kind === 'unknown') ?? first
}

/** Resends a request, like a client that missed the response, and expects the same result. */
async function repeat(client: Client, journal: Journal, entry: Entry): Promise<void> {
  const first = entry.outcome
  const again = await client.perform(entry)
  // A request rejected for lack of a price or of money may succeed now.
  if (first.kind === 'rejected' && again.kind !== 'rejected') entry.outcome = again
  if (first.kind !== 'acknowledged' || again.kind === 'unknown') return
  if (again.kind !== 'acknowledged' || again.id !== first.id)
    journal.complaints.push(
      `${entry.operation.kind} ${entry.key} was acknowledged, and its repetition is ${JSON.stringify(again)}`,
    )
}

/**
 * Sends one operation of each kind and then repeats each with its key, so that every kind is checked even if few
 * operations got through on a busy machine.
 */
export async function oneOfEach(client: Client, journal: Journal, trader: number): Promise<void> {
  const done: Entry[] = []
  async function perform(operation: Operation): Promise<Entry> {
    const entry = journal.add(`each-${journal.entries.length}`, operation)
    done.push(entry)
    for (let tries = 0; entry.outcome.kind === 'unknown' && tries < 20; tries++) {
      if (tries > 0) await sleep(200)
      entry.outcome = await client.perform(entry)
    }
    return entry
  }
  const cents = 1_100
  const requested = async () => (await perform({ kind: 'withdraw', trader, cents })).n
  const follow = (entry: number, operation: (of: number) => Operation) =>
    journal.entries[entry]!.outcome.kind === 'acknowledged' ? perform(operation(entry)) : undefined
  await perform({ kind: 'trade', trader, mode: 'real', symbol: 'BTCUSDT', side: 'Buy', cents: 115 })
  await perform({
    ...{ kind: 'wait', trader, mode: 'demo', symbol: 'BTCUSDT', side: 'Sell', cents: 125 },
    at: Date.now() + 5_000,
  })
  const forSale = journal.acknowledged('trade').findLast(isForSale)
  if (forSale) await perform(saleOf(forSale, 1))
  await follow(await requested(), (of) => ({ kind: 'cancel', trader, of }))
  await follow(await requested(), (of) => ({ kind: 'reject', of }))
  const paid = await requested()
  await follow(paid, (of) => ({ kind: 'approve', of }))
  await follow(paid, (of) => ({ kind: 'pay', of }))
  const card = (await perform({ kind: 'card', trader, cents })).n
  await follow(card, (of) => ({ kind: 'event', of, cents }))
  const deposit = (await perform({ kind: 'deposit', trader, cents })).n
  await follow(deposit, (of) => ({ kind: 'credit', of, cents }))
  for (const entry of done) await repeat(client, journal, entry)
}

/** Long enough if tokens expire meanwhile: an operator waits up to 40 s for the next code. */
const CONVERGE_MS = 150_000

/** Resends every operation whose outcome is unknown, with its key, until each has an outcome. */
export async function converge(client: Client, journal: Journal, withinMs = CONVERGE_MS): Promise<void> {
  const until = performance.now() + withinMs
  for (let unknown = journal.unknown(); unknown.length > 0; unknown = journal.unknown()) {
    for (let i = 0; i < unknown.length; i += 25)
      await Promise.all(
        unknown.slice(i, i + 25).map(async (entry) => {
          entry.outcome = await client.perform(entry)
        }),
      )
    const [left] = journal.unknown()
    if (left && performance.now() > until)
      throw new Error(`${journal.unknown().length} operations still have no outcome: ${JSON.stringify(left)}`)
    await sleep(50)
  }
}
