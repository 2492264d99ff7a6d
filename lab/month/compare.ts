import { createReadStream, createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { dollars, usd } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import type { Db } from '#server/platform/database/db.ts'
import type { Instruments } from '#server/prices/index.ts'
import { decodeBody } from '#server/prices/tape/frames/frame.ts'
import { dayDownloads } from '#server/proof/days/day-download.ts'
import { TapeRuns } from '#server/proof/days/tape-runs.ts'
import { type DayLine, dayLines, replayDay } from '#server/proof/index.ts'
import { decideOutcome, type Tick } from '#server/trading/index.ts'
import { type BookedAccount, type BookedTrade, bookedAccounts, bookedTrades } from './ledger.ts'

/**
 * One day of the comparison: payouts by the tape for the trades that ended on it, and the ledger's movements, in cents.
 */
interface ComparedDay {
  day: string
  frames: number
  ticks: number
  checkpoints: number
  trades: number
  outcomes: Record<string, number>
  staked: bigint
  /** By the tape and by the ledger's movements. */
  paidByTape: bigint
  paidByLedger: bigint
}

export interface ComparedMonth {
  days: ComparedDay[]
  accounts: number
  /** Every difference, with its day and its trade or account. */
  differences: string[]
}

const fileOf = (folder: string, day: string) => join(folder, `${day}.jsonl.gz`)

/** Downloads each day's public file, as anyone can. */
export async function downloadDays(db: Db, instruments: Instruments, days: readonly string[], folder: string) {
  const download = dayDownloads({ instruments })
  for (const day of days) await pipeline(await download(db, day, 'laboratory'), createWriteStream(fileOf(folder, day)))
}

/**
 * Recomputes every outcome from the downloaded tape alone, and compares the results with the ledger to the cent: each
 * trade, each day's sums, and each account's balance. Also replays each day's file for operators.
 */
export async function compareDays(
  db: Db,
  instruments: Instruments,
  { days: names, folder, keyId }: { days: readonly string[]; folder: string; keyId: string },
  progress: (says: string) => void = () => undefined,
): Promise<ComparedMonth> {
  const differences: string[] = []
  const trades = await bookedTrades(db)
  const runs = new TapeRuns()
  const ticks = trades.map(({ symbol, terms }) => runs.add(symbol, terms))
  runs.start()
  const days = new Map<string, ComparedDay>()
  const keys = new Set([keyId])
  let last = 0

  for (const day of names) {
    const tape = await replayDay(taken(linesOf(fileOf(folder, day)), runTicks), keys)
    if (tape.broken !== undefined) differences.push(`${day}: ${tape.broken}`)
    const own = await replayDay(dayLines(db, instruments, day), keys)
    if (own.broken !== undefined) differences.push(`${day}, the operator's file: ${own.broken}`)
    const { frames, ticks, checkpoints } = tape
    days.set(day, {
      day,
      frames,
      ticks,
      checkpoints,
      trades: 0,
      outcomes: {},
      staked: 0n,
      paidByTape: 0n,
      paidByLedger: 0n,
    })
    progress(`${day}: ${frames} frames of the public file, ${own.trades} outcomes of the operator's`)
  }
  runs.end()

  const accounts = new Map<bigint, bigint>()
  for (const [i, trade] of trades.entries()) {
    const name = new Date(trade.terms.endTime).toISOString().slice(0, 10)
    const day = days.get(name)
    if (!day) {
      differences.push(`${name}: trade ${trade.id} ends on a day without a tape`)
      continue
    }
    const outcome = decideOutcome(trade.terms, ticks[i]!, trade.operatorVoid)
    differences.push(...differencesOf(trade, outcome).map((says) => `${name}: trade ${trade.id} ${says}`))
    day.trades++
    day.outcomes[outcome.status] = (day.outcomes[outcome.status] ?? 0) + 1
    day.staked += trade.staked
    day.paidByTape += outcome.payout
    day.paidByLedger += trade.paid
    accounts.set(trade.accountId, (accounts.get(trade.accountId) ?? 0n) - trade.terms.stake + outcome.payout)
  }
  for (const { day, paidByTape, paidByLedger } of days.values())
    if (paidByTape !== paidByLedger)
      differences.push(`${day}: the ledger paid ${text(paidByLedger)}, but the tape gives ${text(paidByTape)}`)
  const booked = await bookedAccounts(db)
  differences.push(...booked.flatMap((account) => accountDifference(account, accounts.get(account.id) ?? 0n)))
  return { days: [...days.values()], accounts: booked.length, differences }

  /** Passes each new frame's ticks to the trades. A day's file begins with frames of the day before. */
  async function* taken(lines: AsyncIterable<DayLine>, take: (n: number, line: [number, string]) => void) {
    let n = 0
    for await (const line of lines) {
      if (Array.isArray(line)) take(n++, line)
      else if ('first' in line) n = line.first
      yield line
    }
  }

  function runTicks(n: number, [t, body]: [number, string]): void {
    if (n <= last) return
    last = n
    for (const { symbol, seq, sourceMs, units, kind } of decodeBody(t, Buffer.from(body, 'base64'))) {
      const tick: Tick = { seq: BigInt(seq), sourceMs, price: price(BigInt(units)), kind }
      runs.tick(symbol, tick)
    }
  }
}

async function* linesOf(file: string): AsyncGenerator<DayLine> {
  const text = createReadStream(file).pipe(createGunzip())
  for await (const line of createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })) yield JSON.parse(line)
}

function differencesOf(trade: BookedTrade, outcome: ReturnType<typeof decideOutcome>): string[] {
  const { stake } = trade.terms
  const found: string[] = []
  if (trade.status !== outcome.status) found.push(`is ${trade.status}, but the tape gives ${outcome.status}`)
  if (trade.payout !== outcome.payout)
    found.push(`states a payout of ${text(trade.payout ?? 0n)}, but the tape gives ${text(outcome.payout)}`)
  if (trade.reason !== outcome.reason) found.push(`says '${trade.reason}', but the tape gives '${outcome.reason}'`)
  if (trade.staked !== stake) found.push(`staked ${text(trade.staked)} instead of ${text(stake)}`)
  if (trade.paid !== outcome.payout)
    found.push(`was paid ${text(trade.paid)}, but the tape gives ${text(outcome.payout)}`)
  if (trade.kept !== stake - outcome.payout)
    found.push(`left ${text(trade.kept)} to the house instead of ${text(stake - outcome.payout)}`)
  return found
}

function accountDifference({ id, balance, escrow, brought }: BookedAccount, byTape: bigint): string[] {
  const given = brought + byTape
  if (balance === given && escrow === 0n) return []
  return [`account ${id} holds ${text(balance)} and ${text(escrow)} in escrow, but the tape gives ${text(given)}`]
}

const text = (cents: bigint): string => dollars(usd(cents))
