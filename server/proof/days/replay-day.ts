import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto'
import { SOURCES } from '#contract/prices/prices.ts'
import { parseUsd, usdToText } from '#kernel/money.ts'
import { price } from '#kernel/price.ts'
import { saleRule, tickWithinMs, varianceMinute } from '#kernel/sale-value.ts'
import type { Ms } from '#kernel/time.ts'
import { checkpointText, leafText, type ReceiptCheckpoint, type ReceiptSale } from '#packages/verify/verify.js'
import { leafHash, rootOf } from '../../platform/tree.ts'
import { BrokenBody, bodyHash, chainHash, decodeFrame, StatedVariances } from '../../prices/index.ts'
import {
  decideOutcome,
  decideSale,
  findEntry,
  isVoidedByOperators,
  ruleVersion,
  SOLD,
  saleTick,
  type Terms,
  type Tick,
} from '../../trading/index.ts'
import type { SignedTrade } from '../checkpoints/leaf.ts'
import { keyId } from '../keys/key.ts'
import type { DayLine } from './day-file.ts'
import { TapeRuns } from './tape-runs.ts'

export interface DayVerdict {
  day: string
  checkpoints: number
  frames: number
  ticks: number
  /** Trades whose outcome was computed again, and those that operators voided: no price decided them. */
  trades: number
  voided: number
  /** The first thing that is wrong; undefined if all is well. */
  broken: string | undefined
}

class Broken extends Error {}

function must(condition: unknown, says: () => string): asserts condition {
  if (!condition) throw new Broken(says())
}

/** A trade of the file with the ticks that decide it, filled in from the tape. */
interface Replayed {
  signed: SignedTrade
  terms: Terms
  ticks: readonly Tick[]
  /** From the order that sold it on; empty if it wasn't sold. */
  saleTicks: readonly Tick[]
}

interface DayCheckpoint {
  checkpoint: ReceiptCheckpoint
  /** Undefined in a public file. */
  trades: Replayed[] | undefined
}

/**
 * Computes every outcome of a day again, from the lines of its file alone: no database, no network. The frames must lead to
 * each checkpoint, hash by hash, and the outcomes to its root, bit for bit. The variances that frames state must follow from
 * the prices of the hour before them, as far as the file holds that hour. `trustedKeys`: the keys that count, by id.
 */
export async function replayDay(lines: AsyncIterable<DayLine>, trustedKeys?: ReadonlySet<string>): Promise<DayVerdict> {
  const verdict: DayVerdict = { day: '', checkpoints: 0, frames: 0, ticks: 0, trades: 0, voided: 0, broken: undefined }
  try {
    await replay(lines, verdict, trustedKeys)
  } catch (error) {
    if (!(error instanceof Broken)) throw error
    verdict.broken = error.message
  }
  return verdict
}

async function replay(
  lines: AsyncIterable<DayLine>,
  verdict: DayVerdict,
  trustedKeys: ReadonlySet<string> | undefined,
): Promise<void> {
  const keys = new Map<string, KeyObject>()
  const checkpoints: DayCheckpoint[] = []
  const runs = new TapeRuns()
  const tape = tapeReader(runs, verdict)
  let next = 0
  for await (const line of lines) {
    if (Array.isArray(line)) {
      const { n, t, hash, wrong } = tape.frame(line)
      const due = checkpoints[next]?.checkpoint
      if (due?.frame !== n) continue
      must(
        due.time === t && due.hash === hash,
        () => `the frames up to ${n} don't lead to its checkpoint: a price or a time was changed`,
      )
      // A changed price is named by its checkpoint first.
      must(wrong === undefined, () => wrong ?? '')
      next++
    } else if ('type' in line) {
      must(line.type === 'cleartick day' && line.version === 1, () => NOT_A_DAY)
      verdict.day = line.day
    } else if ('keys' in line) for (const key of line.keys) keys.set(key.id, readKey(key, trustedKeys))
    else if ('checkpoint' in line) {
      checkSignature(line.checkpoint, keys)
      checkChained(line.checkpoint, checkpoints.at(-1)?.checkpoint)
      checkpoints.push({ checkpoint: line.checkpoint, trades: line.trades?.map((signed) => begin(runs, signed, tape)) })
    } else {
      runs.start()
      tape.start(line.first, line.before)
    }
  }
  must(verdict.day !== '' && checkpoints.length > 0, () => NOT_A_DAY)
  const due = checkpoints[next]?.checkpoint
  must(due === undefined, () => `the frames end before the checkpoint at frame ${due?.frame}`)
  runs.end()
  for (const one of checkpoints) checkOutcomes(one, verdict, tape)
}

const NOT_A_DAY = "this isn't the file of a day"

type DayTape = ReturnType<typeof tapeReader>

/** Reads the frames, one after the other: the chain of hashes, their ticks, and the variances that sales need. */
function tapeReader(runs: TapeRuns, verdict: DayVerdict) {
  let n = 0
  let t = -1
  let hash: Buffer | undefined
  let variances: StatedVariances | undefined
  let wrong: string | undefined
  const sequences = new Map<string, number>()
  // By minute and symbol. A sale is within seconds of its order, so it needs one of two minutes.
  const needed = new Map<Ms, Map<string, number | undefined>>()
  return {
    needVariance(symbol: string, { rule, ordered_at }: ReceiptSale): void {
      for (const time of [ordered_at, ordered_at + tickWithinMs(rule)]) {
        const minute = varianceMinute(time)
        const symbols = needed.get(minute) ?? new Map<string, number | undefined>()
        needed.set(minute, symbols.set(symbol, undefined))
      }
    },
    variance: (symbol: string, time: Ms): number | undefined => needed.get(varianceMinute(time))?.get(symbol),
    start(first: number, before: string): void {
      n = first - 1
      hash = Buffer.from(before, 'hex')
    },
    frame([time, encoded]: [number, string]): { n: number; t: number; hash: string; wrong: string | undefined } {
      must(hash, () => NOT_A_DAY)
      n++
      must(time > t, () => `frame ${n}: its time doesn't ascend`)
      t = time
      const body = Buffer.from(encoded, 'base64')
      hash = chainHash(hash, n, t, bodyHash(body))
      verdict.frames++
      const { entries, variances: stated } = readFrame(n, t, body)
      variances ??= new StatedVariances(n === 1 ? undefined : t)
      const differs = variances.frame(t, entries, stated)
      const wanted = stated.length > 0 ? needed.get(varianceMinute(t)) : undefined
      if (wanted) for (const { symbol, value } of stated) if (wanted.has(symbol)) wanted.set(symbol, value)
      if (differs !== undefined)
        wrong ??= `frame ${n}: its variance of ${differs} doesn't follow from the prices of the hour before`
      for (const entry of entries) {
        const { symbol, seq, sourceMs, units, kind } = entry
        const before = sequences.get(symbol)
        must(before === undefined || seq === before + 1, () => `frame ${n}: a price of ${symbol} before it is missing`)
        sequences.set(symbol, seq)
        runs.tick(symbol, { seq: BigInt(seq), sourceMs, price: price(BigInt(units)), kind })
        verdict.ticks++
      }
      return { n, t, hash: hash.toString('hex'), wrong }
    },
  }
}

function readFrame(n: number, t: number, body: Buffer) {
  try {
    return decodeFrame(t, body)
  } catch (error) {
    if (!(error instanceof BrokenBody)) throw error
    throw new Broken(`frame ${n}: ${error.message}`)
  }
}

function readKey(
  { id, public_key }: { id: string; public_key: string },
  trusted: ReadonlySet<string> | undefined,
): KeyObject {
  const raw = Buffer.from(public_key, 'hex')
  must(raw.length === 32 && keyId(raw) === id, () => `key ${id}: has another fingerprint`)
  must(!trusted || trusted.has(id), () => `key ${id}: isn't published, or was revoked`)
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') }, format: 'jwk' })
}

function checkSignature(checkpoint: ReceiptCheckpoint, keys: ReadonlyMap<string, KeyObject>): void {
  const key = keys.get(checkpoint.key)
  const signature = Buffer.from(checkpoint.signature, 'hex')
  must(
    key && verify(null, Buffer.from(checkpointText(checkpoint)), key, signature),
    () => `checkpoint at frame ${checkpoint.frame}: its signature is wrong`,
  )
}

/** A checkpoint of version 2 names the one before it. */
function checkChained({ frame, previous }: ReceiptCheckpoint, before: ReceiptCheckpoint | undefined): void {
  if (!before || (previous === undefined && before.previous === undefined)) return
  const digest = createHash('sha256').update(checkpointText(before)).digest('hex')
  must(previous === digest, () => `checkpoint at frame ${frame}: doesn't follow from the one before it`)
}

function begin(runs: TapeRuns, signed: SignedTrade, tape: DayTape): Replayed {
  const { trade } = signed
  const stake = parseUsd(trade.stake)
  must(stake !== undefined, () => `trade ${trade.id}: its stake is no amount`)
  const rule = ruleVersion(trade.rule_version)
  must(rule !== undefined, () => `trade ${trade.id}: this version doesn't know its rule ${trade.rule_version}`)
  const terms: Terms = {
    side: trade.side,
    stake,
    percent: trade.percent,
    tradeTime: trade.trade_time,
    endTime: trade.end_time,
    staleAfterMs: trade.stale_after_ms,
    sourceKind: SOURCES.indexOf(trade.source),
    rule,
  }
  const { outcome } = signed
  const saleTicks: readonly Tick[] =
    outcome.status === 'Sold' ? runs.add(trade.symbol, waiting(terms, outcome.sale)) : []
  if (outcome.status === 'Sold') tape.needVariance(trade.symbol, outcome.sale)
  return { signed, terms, ticks: runs.add(trade.symbol, terms), saleTicks }
}

/** An order to sell is followed like a trade that lasts until its price must have come. */
const waiting = (terms: Terms, { rule, ordered_at }: ReceiptSale): Terms => ({
  ...terms,
  tradeTime: ordered_at,
  endTime: ordered_at + tickWithinMs(rule),
})

/** Decides the order that sold a trade by the tape of the file. */
function soldOutcome({ signed, terms, ticks, saleTicks }: Replayed, tape: DayTape) {
  const { trade, outcome } = signed
  must(outcome.status === 'Sold', () => `trade ${trade.id}: wasn't sold`)
  const { rule, ordered_at, minimum, variance, fee } = outcome.sale
  must(saleRule(rule), () => `trade ${trade.id}: this version doesn't know its formula ${rule}`)
  const asked = parseUsd(minimum)
  must(asked !== undefined, () => `trade ${trade.id}: its minimum is no amount`)
  const order = { at: ordered_at, minimum: asked }
  const tick = saleTick(rule, order, saleTicks)
  const stated = tick && tape.variance(trade.symbol, tick.sourceMs)
  const kindChanged =
    tick !== undefined && ticks.some(({ sourceMs, kind }) => sourceMs <= tick.sourceMs && kind !== terms.sourceKind)
  const sale = decideSale(rule, terms, order, { entry: findEntry(terms, ticks), tick, kindChanged, variance: stated })
  must(
    sale.outcome === 'sold',
    () => `trade ${trade.id}: was sold, but the tape gives: ${sale.outcome === 'unsold' && sale.says}`,
  )
  must(
    sale.variance === variance,
    () => `trade ${trade.id}: was sold by the variance ${variance}, but the tape states ${sale.variance}`,
  )
  must(
    usdToText(sale.fee) === fee,
    () => `trade ${trade.id}: its fee is ${fee}, but its rule gives ${usdToText(sale.fee)}`,
  )
  return { status: 'Sold' as const, payout: sale.payout, reason: SOLD }
}

/** The outcomes of the tape must be those of the file, and lead to the root that was signed. */
function checkOutcomes({ checkpoint, trades }: DayCheckpoint, verdict: DayVerdict, tape: DayTape): void {
  verdict.checkpoints++
  if (!trades) return
  const leaves = trades.map((one) => {
    const { signed, terms, ticks } = one
    const { trade, outcome } = signed
    if (isVoidedByOperators(outcome.reason)) {
      must(
        outcome.status === 'Void' && outcome.payout === trade.stake,
        () => `trade ${trade.id}: operators voided it, but its stake wasn't returned`,
      )
      verdict.voided++
      return leafHash(leafText(signed))
    }
    const { status, payout, reason } = outcome.status === 'Sold' ? soldOutcome(one, tape) : decideOutcome(terms, ticks)
    const given = { status, payout: usdToText(payout), reason }
    for (const part of ['status', 'payout', 'reason'] as const)
      must(
        given[part] === outcome[part],
        () => `trade ${trade.id}: its ${part} is '${outcome[part]}', but the tape gives '${given[part]}'`,
      )
    verdict.trades++
    return leafHash(leafText({ trade, outcome: { ...outcome, ...given } } as SignedTrade))
  })
  must(
    trades.length === checkpoint.trades && rootOf(leaves).toString('hex') === checkpoint.root,
    () => `checkpoint at frame ${checkpoint.frame}: its trades aren't the ones that were signed`,
  )
}
