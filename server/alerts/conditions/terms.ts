import type { AlertDirection, AlertIndicator } from '#contract/trading/alerts.ts'
import type { Ms } from '#kernel/time.ts'

/** What everything has that the tape is watched for. Prices are in units of the symbol's last digit, as the tape has them in memory. */
interface Armed {
  id: bigint
  userId: bigint
  symbol: string
  /** Rises each time that it is armed. */
  arming: number
  /** The tick when it was armed. Only later ones fire it. */
  base: number
  baseSeq: number
  baseMs: Ms
  /** No tick after this time fires it. */
  untilMs?: Ms
  /** It fired, or was changed or deleted: nothing fires it any more. */
  gone?: true
}

/** A price that is reached: at or above the level if it rises to it, else at or below. */
export interface PriceWatch extends Armed {
  kind: 'price'
  level: number
  rises: boolean
}

/** The first tick at a time or later. */
export interface TimeWatch extends Armed {
  kind: 'time'
  atMs: Ms
}

export interface MoveAlert extends Armed {
  kind: 'move'
  direction: AlertDirection
  basisPoints: number
  minutes: number
}

export interface IndicatorAlert extends Armed {
  kind: 'indicator'
  direction: AlertDirection
  indicator: AlertIndicator
}

export type ArmedAlert = PriceWatch | MoveAlert | IndicatorAlert
/** All that a tape can be watched for. */
export type Watch = ArmedAlert | TimeWatch

/** A tick of the tape. */
export interface JudgedTick {
  units: number
  seq: number
  sourceMs: Ms
}

/** An alert, or whatever else is watched for, and what fired it. */
export interface Fire<T extends Watch = ArmedAlert> {
  alert: T
  tick: JudgedTick
  /** Of an indicator: its value at the candle's close. */
  value?: number
}
