import type { AlertDirection, AlertIndicator } from '#contract/trading/alerts.ts'
import type { Ms } from '#kernel/time.ts'

/** What all armed alerts have. Prices are in units of the symbol's last digit, as the tape has them in memory. */
interface Armed {
  id: bigint
  userId: bigint
  symbol: string
  /** Rises each time that the alert is armed. */
  arming: number
  direction: AlertDirection
  /** The tick when it was armed. Only later ones fire it. */
  base: number
  baseSeq: number
  baseMs: Ms
  /** It fired, or was changed or deleted: nothing fires it any more. */
  gone?: true
}

export interface PriceAlert extends Armed {
  kind: 'price'
  level: number
  rises: boolean
}

export interface MoveAlert extends Armed {
  kind: 'move'
  basisPoints: number
  minutes: number
}

export interface IndicatorAlert extends Armed {
  kind: 'indicator'
  indicator: AlertIndicator
}

export type ArmedAlert = PriceAlert | MoveAlert | IndicatorAlert

/** A tick of the tape. */
export interface JudgedTick {
  units: number
  seq: number
  sourceMs: Ms
}

/** An alert and what fired it. */
export interface Fire {
  alert: ArmedAlert
  tick: JudgedTick
  /** Of an indicator: its value at the candle's close. */
  value?: number
}
