import { useState } from 'react'
import type { CandleInterval } from '#contract/prices/prices.ts'
import { CANDLE_INTERVALS } from '#contract/terms.ts'
import { CHART_KINDS, type ChartKind } from '#contract/trading/chart-terms.ts'

const STORED = 'chart'
/** With fewer candles than this a longer interval is shown, until the trader chooses one. */
const ENOUGH = 60

interface Choice {
  interval: CandleInterval
  kind: ChartKind
  /** The price axis is logarithmic. */
  log: boolean
  /** The trader chose the interval; it no longer changes by itself. */
  chosen: boolean
}

function stored(): Choice {
  try {
    const { interval, kind, log } = JSON.parse(localStorage.getItem(STORED) ?? '{}') as Partial<Choice>
    const isKnown = interval !== undefined && Object.hasOwn(CANDLE_INTERVALS, interval)
    return {
      interval: isKnown ? interval : '5s',
      kind: CHART_KINDS.find((one) => one === kind) ?? 'candles',
      log: log === true,
      chosen: isKnown,
    }
  } catch {
    return { interval: '5s', kind: 'candles', log: false, chosen: false }
  }
}

/**
 * The interval and kind of the chart, as last chosen in this browser. The default is 5 seconds, or a minute if the tape
 * is too young for that.
 */
export function useChartChoice() {
  const [choice, setChoice] = useState(stored)
  return {
    ...choice,
    choose: (change: Partial<Omit<Choice, 'chosen'>>) => {
      const next = { ...choice, ...change, chosen: choice.chosen || change.interval !== undefined }
      const { chosen, interval, ...look } = next
      localStorage.setItem(STORED, JSON.stringify(chosen ? { interval, ...look } : look))
      setChoice(next)
    },
    onCount: (bars: number) => {
      if (!choice.chosen && choice.interval === '5s' && bars < ENOUGH) setChoice({ ...choice, interval: '1m' })
    },
  }
}
