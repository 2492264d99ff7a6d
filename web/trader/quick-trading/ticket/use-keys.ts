import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { DURATIONS } from '#contract/terms.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { areKeysOn, isKeyboardBusy, keepKeysOn, takesText } from '#web/ui/index.ts'
import { useWait } from '../waiting/wait.ts'
import { setOrder } from './draft-order.ts'
import type { OrderForm } from './use-order-form.ts'

/** How long B and S stay armed in the live account. */
const ARMED_MS = 10 * 60_000

/** Whether single-key shortcuts are on, and the switch. */
function useKeysOn(): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(areKeysOn)
  return [
    on,
    (next) => {
      keepKeysOn(next)
      setOn(next)
    },
  ]
}

export interface Keys {
  /** Single-key shortcuts are on. */
  on: boolean
  setOn: (on: boolean) => void
  /** B and S place orders now: always in demo, in live only while armed. */
  trade: boolean
  /** Until when B and S are armed in the live account, Unix ms. */
  armedUntil: number | undefined
  arm: () => void
  disarm: () => void
}

/**
 * B and S spend real money at once, so in live they are off until the trader arms them. They disarm after ten minutes,
 * with Escape, with another symbol or account mode, and when the screen closes.
 */
export function useKeysState(mode: Mode, symbol: string): Keys {
  const [on, setOn] = useKeysOn()
  const [armed, setArmed] = useState<{ until: number; by: string }>()
  const by = `${mode} ${symbol}`
  const isArmed = on && mode === 'real' && armed?.by === by
  if (armed && !isArmed) setArmed(undefined)
  useEffect(() => {
    if (!armed) return
    const timer = setTimeout(() => setArmed(undefined), armed.until - Date.now())
    return () => clearTimeout(timer)
  }, [armed])
  return {
    on,
    setOn,
    trade: on && (mode === 'demo' || isArmed),
    armedUntil: isArmed ? armed?.until : undefined,
    arm: () => setArmed({ until: Date.now() + ARMED_MS, by }),
    disarm: () => setArmed(undefined),
  }
}

interface Actions {
  keys: Keys
  form: OrderForm
  blocked: boolean
  onHelp: () => void
  onMarkets: () => void
  onFull: () => void
}

/** Returns what a key does given the focus: text fields and dialogs keep their keys. */
export function keyMeaning(
  key: string,
  focus: { inText: boolean; inDialog: boolean },
): 'buy' | 'sell' | 'help' | 'markets' | 'full' | { duration: number } | undefined {
  if (focus.inText || focus.inDialog) return undefined
  if (key === 'b' || key === 'B') return 'buy'
  if (key === 's' || key === 'S') return 'sell'
  if (key === 'm' || key === 'M') return 'markets'
  if (key === 'f' || key === 'F') return 'full'
  if (key === '?') return 'help'
  const duration = /^[1-8]$/.test(key) ? DURATIONS[Number(key) - 1] : undefined
  return duration === undefined ? undefined : { duration }
}

/** Handles the keys of the trading screen. */
export function useKeys(actions: Actions): void {
  const latest = useRef(actions)
  // Both in the same step as what is shown, so that a fast key acts, and on what is in sight.
  useLayoutEffect(() => {
    latest.current = actions
  })
  useLayoutEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { keys, form, blocked, onHelp, onMarkets, onFull } = latest.current
      if (event.key === 'Escape') keys.disarm()
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      const meaning = keyMeaning(event.key, {
        inText: takesText(document.activeElement),
        inDialog: isKeyboardBusy(),
      })
      if (meaning === undefined || (!keys.on && meaning !== 'help')) return
      if (meaning === 'buy' || meaning === 'sell') {
        // A timer may be late, so the time decides as well.
        const isLate = keys.armedUntil !== undefined && Date.now() >= keys.armedUntil
        // Holding a key down places only one order.
        if (!keys.trade || isLate || event.repeat || blocked || useWait.getState().when !== 'now') return
        event.preventDefault()
        return form.place(meaning === 'buy' ? 'Buy' : 'Sell')
      }
      event.preventDefault()
      if (meaning === 'help') return onHelp()
      if (meaning === 'markets') return onMarkets()
      if (meaning === 'full') return onFull()
      setOrder({ duration: meaning.duration })
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
