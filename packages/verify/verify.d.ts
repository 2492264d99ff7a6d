export type Source = 'live' | 'replay' | 'simulation'

/** A price that decided a trade, and the frame that published it. Times are Unix ms. */
export interface ReceiptTick {
  sequence: number
  time: number
  /** Decimal text. */
  price: string
  source: Source
  frame: number
}

/** A signed statement about the tape's newest frame and the trades settled before it. Bytes are hex. */
export interface ReceiptCheckpoint {
  epoch: number
  frame: number
  time: number
  hash: string
  /** Number of trades in the tree, and its root. */
  trades: number
  root: string
  /** sha256 of the signed text of the checkpoint before, or zeros; absent in a checkpoint of version 1. */
  previous?: string
  /** Id of the key that signed. */
  key: string
  signature: string
}

/** A frame's time and the sha256 of its body, or the body itself. */
export type ReceiptFrame = [time: number, bodyHash: string] | [time: number, is: 'body', body: string]

export interface ReceiptSegment {
  first: number
  /** Hash of the frame before the first. */
  before: string
  frames: ReceiptFrame[]
  checkpoint: ReceiptCheckpoint
}

/** An order as it was accepted: what a frame of the tape binds. */
export interface ReceiptOrder {
  id: string
  mode: 'real' | 'demo'
  symbol: string
  side: 'Buy' | 'Sell'
  /** US dollars, with two decimals. */
  stake: string
  strike_rate: string
  percent: number
  /** Seconds. */
  duration: number
  trade_time: number
  stale_after_ms: number
  source: Source
  rule_version: 'FT-1'
  /** The list that the percent is from. There is one only, so it has no name yet. */
  price_list: string | null
  /** Random, so that the hash reveals nothing about the order. */
  salt: string
}

interface ReceiptProof {
  ticks: {
    before_entry: ReceiptTick | null
    entry: ReceiptTick | null
    /** The first price from another source, if the change of source voided the trade. */
    change: ReceiptTick | null
    exit: ReceiptTick | null
    after_exit: ReceiptTick | null
  }
  segments: ReceiptSegment[]
  /** Where the trade is in the tree of its checkpoint. */
  settlement: { position: number; path: string[]; checkpoint: ReceiptCheckpoint }
  keys: { id: string; public_key: string }[]
}

export interface TradeTerms {
  id: string
  mode: 'real' | 'demo'
  symbol: string
  side: 'Buy' | 'Sell'
  /** US dollars, with two decimals. */
  stake: string
  percent: number
  trade_time: number
  end_time: number
  stale_after_ms: number
  source: Source
  rule_version: 'FT-1'
}

export interface TradeOutcome {
  status: 'Won' | 'Lost' | 'Draw' | 'Void'
  payout: string
  reason: string
}

/** Of a trade from before orders were bound. */
export interface ReceiptOfSettlement extends ReceiptProof {
  type: 'cleartick receipt'
  version: 1
  trade: TradeTerms
  outcome: TradeOutcome
}

export interface ReceiptOfOrder extends ReceiptProof {
  type: 'cleartick receipt'
  version: 2
  /** As it was accepted. */
  order: ReceiptOrder
  /** As it was settled; `order` is the hash of the order. */
  trade: TradeTerms & { strike_rate: string; duration: number; price_list: string | null; order: string }
  /** A sold trade has a receipt of version 3. */
  outcome: TradeOutcome & { sale: null }
  /** Where the order is in the tree of its frame. */
  bound: { frame: number; position: number; path: string[] }
}

/** The order that sold a trade before its end, and what its price was computed with. */
export interface ReceiptSale {
  /** The version of the formula. */
  rule: 'SE-1'
  ordered_at: number
  /** The least that the trader took, US dollars. */
  minimum: string
  /** As the tape states it. */
  variance: number
  fee: string
}

/** Of a trade that was sold before its end. */
export interface ReceiptOfSale extends Omit<ReceiptOfOrder, 'version' | 'outcome'> {
  version: 3
  outcome: { status: 'Sold'; payout: string; reason: string; sale: ReceiptSale }
  /** The frame that states the variance, and the price before the one of the sale. */
  sold: { variance_frame: number; before: ReceiptTick }
}

export type Receipt = ReceiptOfSettlement | ReceiptOfOrder | ReceiptOfSale

export type StepName =
  | 'form'
  | 'keys'
  | 'checkpoints'
  | 'chain'
  | 'order'
  | 'trade'
  | 'times'
  | 'ticks'
  | 'entry'
  | 'exit'
  | 'outcome'

export const STEPS: Record<StepName, string>

export interface Step {
  step: StepName
  title: string
  ok: boolean
  says: string
}

/** A key as the platform publishes it. */
export interface PublishedKey {
  id: string
  public_key?: string
  created_at?: string
  /** The key before, and its signature of this one. */
  signed_by?: string
  signature?: string
  /** Why two people began this key without the signature of the one before. */
  unsigned_reason?: string
  revoked_at?: string
  /** Since when the tape binds every order, Unix ms. */
  orders_since?: number
}

export function verifyReceipt(
  text: string,
  options?: {
    published?: readonly PublishedKey[] | undefined
    newer?: readonly PublishedKey[]
    orderHash?: string | undefined
    later?: readonly ReceiptCheckpoint[]
    known?: readonly string[]
  },
): Promise<{ ok: boolean; steps: Step[]; receipt: Receipt | undefined }>

/** What the outgoing key signs of a new one. */
export function keyText(key: { public_key: string; signed_by: string }): string

export function checkpointText(checkpoint: Omit<ReceiptCheckpoint, 'signature'>): string

/** Throws if the prices can't be those that decide the trade. */
export function decide(of: { trade: TradeTerms; ticks: Receipt['ticks'] }): TradeOutcome

export function orderText(order: ReceiptOrder): string

export function leafText(of: { trade: Receipt['trade']; outcome: Receipt['outcome'] }): string
