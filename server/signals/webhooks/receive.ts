import { hash } from 'node:crypto'
import * as z from 'zod/mini'
import { Problem } from '#contract/problem.ts'
import type { TradeSide } from '#contract/terms.ts'
import { RECEIVED_KEPT, type RECEIVED_VOID, WEBHOOK_BYTES, WEBHOOK_SECONDS } from '#contract/trading/webhooks.ts'
import { type Ms, SECOND_MS } from '#kernel/time.ts'
import { type RecordedVersion, recordedVersion } from '../../own-strategies/index.ts'
import { type Db, isUniqueViolation, sql } from '../../platform/database/db.ts'
import type { Clock } from '../../platform/process/clock.ts'
import type { Instruments, Tape } from '../../prices/index.ts'

export interface ReceiveDeps {
  db: Db
  clock: Pick<Clock, 'now'>
  tape: Pick<Tape, 'status'>
  instruments: Instruments
  /** A message was written that the engine has to decide. */
  received(): void
}

type Void = (typeof RECEIVED_VOID)[number]

interface Message {
  symbol: string
  side: TradeSide
  time: Ms
}

/** What a message says about itself: senders name sides and times in several ways. */
const Body = z.object({
  symbol: z.string({ error: 'symbol must be text' }).check(z.maxLength(40, 'symbol is too long')),
  side: z
    .string({ error: 'side must be buy or sell' })
    .check(z.refine((value) => sideOf(value) !== undefined, 'side must be buy or sell')),
  time: z
    .union([z.string(), z.number()], { error: 'time must be a time such as 2026-01-31T12:00:00Z' })
    .check(z.refine((value) => Number.isFinite(timeOf(value)), 'time must be a time such as 2026-01-31T12:00:00Z')),
})

/** Takes a message from outside for a strategy. Whatever comes of it is shown to its owner. */
export async function takeMessage(deps: ReceiveDeps, strategyId: bigint, text: string, nonce?: string): Promise<void> {
  const bodyHash = hash('sha256', text, 'buffer')
  const write = (row: Omit<Row, 'strategyId' | 'bodyHash' | 'nonce'>) =>
    writeMessage(deps.db, { strategyId, bodyHash, nonce: nonce ?? null, ...row })
  const { message, wrong } = readMessage(text)
  if (!message) {
    await write({ symbolId: null, side: null, void: 'malformed', reason: wrong })
    throw new Problem('malformed', wrong)
  }
  const instrument = deps.instruments.bySymbol(message.symbol)
  const version = await recordedVersion(deps.db, strategyId)
  const why = voidOf(deps, { message, version, symbolId: instrument?.id })
  const row = { symbolId: instrument?.id ?? null, side: message.side, reason: null }
  if (!(await write({ ...row, void: why ?? null }))) {
    await write({ ...row, void: 'repeated' })
    throw refusal('repeated')
  }
  if (why) throw refusal(why)
  deps.received()
}

function readMessage(text: string): { message: Message; wrong?: never } | { message?: never; wrong: string } {
  if (Buffer.byteLength(text) > WEBHOOK_BYTES) return { wrong: `The message is longer than ${WEBHOOK_BYTES} bytes.` }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return { wrong: 'The message is not JSON.' }
  }
  const read = Body.safeParse(json)
  if (!read.success) return { wrong: `In the message, ${read.error.issues[0]?.message ?? 'something is missing'}.` }
  const { symbol, side, time } = read.data
  return { message: { symbol: symbol.toUpperCase(), side: sideOf(side) ?? 'Buy', time: timeOf(time) } }
}

function sideOf(text: string): TradeSide | undefined {
  const side = text.toLowerCase()
  if (side === 'buy' || side === 'long') return 'Buy'
  return side === 'sell' || side === 'short' ? 'Sell' : undefined
}

/** Unix times from here on are milliseconds: as seconds, it's the year 5138. */
const MILLISECONDS_FROM = 1e11

/** Returns Unix ms of ISO 8601, or of Unix time in seconds or milliseconds; not a number for anything else. */
function timeOf(value: string | number): Ms {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value))
    return /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN
  const unix = Number(value)
  return unix >= MILLISECONDS_FROM ? unix : unix * SECOND_MS
}

function voidOf(
  { clock, tape }: ReceiveDeps,
  {
    message,
    version,
    symbolId,
  }: { message: Message; version: RecordedVersion | undefined; symbolId: number | undefined },
): Void | undefined {
  if (Math.abs(clock.now() - message.time) > WEBHOOK_SECONDS * SECOND_MS) return 'late'
  if (!version) return 'off'
  if (symbolId === undefined || !version.symbolIds.includes(symbolId)) return 'symbol'
  return tape.status(message.symbol).status === 'open' ? undefined : 'closed'
}

const REFUSALS: Record<Exclude<Void, 'malformed' | 'open'>, string> = {
  late: `The time in the message is more than ${WEBHOOK_SECONDS} seconds off. Nothing was recorded.`,
  repeated: 'This message, or its nonce, came before. It counts once.',
  symbol: "The message's symbol isn't one of this strategy's.",
  off: "This strategy's signals are switched off.",
  closed: 'The symbol has no fresh price right now. Nothing was recorded.',
}
const refusal = (why: Void) => new Problem('wrong_state', REFUSALS[why as keyof typeof REFUSALS])

interface Row {
  strategyId: bigint
  bodyHash: Buffer
  nonce: string | null
  symbolId: number | null
  side: TradeSide | null
  void: Void | null
  reason: string | null
}

/** Writes a message and drops the oldest beyond those that are kept. Returns false if the same one came before. */
async function writeMessage(db: Db, row: Row): Promise<boolean> {
  try {
    await sql`
      with dropped as (
        delete from received_signals where strategy_id = ${row.strategyId} and id <= (
          select id from received_signals where strategy_id = ${row.strategyId} and num_nonnulls(signal, void) > 0
          order by id desc offset ${RECEIVED_KEPT - 1} limit 1
        )
      )
      insert into received_signals (strategy_id, body_hash, nonce, symbol_id, side, void, reason)
      values (${row.strategyId}, ${row.bodyHash}, ${row.nonce}, ${row.symbolId}, ${row.side}, ${row.void}, ${row.reason})`.execute(
      db,
    )
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}
