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

export interface Receipt {
  type: 'cleartick receipt'
  version: 1
  trade: {
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
  outcome: { status: 'Won' | 'Lost' | 'Draw' | 'Void'; payout: string; reason: string }
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

export type StepName =
  | 'form'
  | 'keys'
  | 'checkpoints'
  | 'chain'
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
  created_at?: string
  revoked_at?: string
}

export function verifyReceipt(
  text: string,
  options?: { published?: readonly PublishedKey[] | undefined },
): Promise<{ ok: boolean; steps: Step[]; receipt: Receipt | undefined }>

export function checkpointText(checkpoint: Omit<ReceiptCheckpoint, 'key' | 'signature'>): string

export function leafText(of: Pick<Receipt, 'trade' | 'outcome'>): string
