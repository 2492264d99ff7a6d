import { useState } from 'react'
import type { CandleInterval } from '#contract/prices.ts'
import { CANDLE_INTERVALS } from '#contract/terms.ts'
import type { ChartKind } from '../chart/chart-options.ts'

const STORED = 'chart'
/** With fewer candles than this a longer interval is shown, until the trader chooses one. */
const ENOUGH = 60

interface Choice {
  interval: CandleInterval
  kind: ChartKind
  /** The trader chose the interval; it no longer changes by itself. */
  chosen: boolean
}

function stored(): Choice {
  try {
    const { interval, kind } = JSON.parse(localStorage.getItem(STORED) ?? '{}') as Partial<Choice>
    const isKnown = interval !== undefined && Object.hasOwn(CANDLE_INTERVALS, interval)
    return { interval: isKnown ? interval : '5s', kind: kind === 'line' ? 'line' : 'candles', chosen: isKnown }
  } catch {
    return { interval: '5s', kind: 'candles', chosen: false }
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
    choose: (change: Partial<Pick<Choice, 'interval' | 'kind'>>) => {
      const next = { ...choice, ...change, chosen: choice.chosen || change.interval !== undefined }
      const { interval, kind } = next
      localStorage.setItem(STORED, JSON.stringify(next.chosen ? { interval, kind } : { kind }))
      setChoice(next)
    },
    onCount: (bars: number) => {
      if (!choice.chosen && choice.interval === '5s' && bars < ENOUGH) setChoice({ ...choice, interval: '1m' })
    },
  }
}
