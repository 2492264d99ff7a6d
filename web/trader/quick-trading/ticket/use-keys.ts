import { useEffect, useRef, useState } from 'react'
import { DURATIONS } from '#contract/terms.ts'
import { takesText } from '#web/ui/index.ts'
import { setOrder, stepStake } from './order.ts'
import type { OrderForm } from './use-order-form.ts'

const STORED = 'trade-keys'

/** The keyboard shortcuts of the trading screen. */
export const KEYS = [
  { keys: ['B'], does: 'Buy' },
  { keys: ['S'], does: 'Sell' },
  { keys: ['↑', '↓'], does: 'Amount up or down by 120' },
  { keys: ['1', '…', '8'], does: 'Duration, from 1 minute to 1 day' },
  { keys: ['/'], does: 'Search a symbol' },
  { keys: ['?'], does: 'Show shortcuts' },
] as const

/**
 * Whether single-key shortcuts are on. Stored in this browser; turning them off helps people who use speech input or
 * rest a hand on the keyboard.
 */
export function useKeysOn(): [boolean, (on: boolean) => void] {
  const [on, setOn] = useState(() => localStorage.getItem(STORED) !== 'off')
  return [
    on,
    (next) => {
      localStorage.setItem(STORED, next ? 'on' : 'off')
      setOn(next)
    },
  ]
}

interface Actions {
  on: boolean
  form: OrderForm
  blocked: boolean
  onSearch: () => void
  onHelp: () => void
}

/**
 * Returns what a key does given the focus: text fields and dialogs keep their keys, radio buttons and lists their arrow
 * keys.
 */
export function keyMeaning(
  key: string,
  focus: { inText: boolean; inDialog: boolean; ownArrows: boolean },
): 'buy' | 'sell' | 'search' | 'help' | { step: 1 | -1 } | { duration: number } | undefined {
  if (focus.inText || focus.inDialog) return undefined
  if (key === 'b' || key === 'B') return 'buy'
  if (key === 's' || key === 'S') return 'sell'
  if (key === '/') return 'search'
  if (key === '?') return 'help'
  if (key === 'ArrowUp' || key === 'ArrowDown')
    return focus.ownArrows ? undefined : { step: key === 'ArrowUp' ? 1 : -1 }
  const duration = /^[1-8]$/.test(key) ? DURATIONS[Number(key) - 1] : undefined
  return duration === undefined ? undefined : { duration }
}

const hasOwnArrows = (element: Element | null): boolean =>
  element instanceof HTMLInputElement || element?.closest('[role="listbox"], [role="menu"], section[tabindex]') != null

/** Handles the keys of the trading screen. */
export function useKeys(actions: Actions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const { on, form, blocked, onSearch, onHelp } = latest.current
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      const focus = document.activeElement
      const meaning = keyMeaning(event.key, {
        inText: takesText(focus),
        inDialog: document.querySelector('dialog[open], [role="dialog"]') !== null,
        ownArrows: hasOwnArrows(focus),
      })
      if (meaning === undefined || (!on && meaning !== 'help')) return
      event.preventDefault()
      if (meaning === 'help') return onHelp()
      if (meaning === 'search') return onSearch()
      if (meaning === 'buy' || meaning === 'sell') {
        // Holding a key down places only one order.
        if (!event.repeat && !blocked) form.place(meaning === 'buy' ? 'Buy' : 'Sell')
        return
      }
      if ('step' in meaning) setOrder({ stake: stepStake(form.stake, meaning.step) })
      else setOrder({ duration: meaning.duration })
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
}
