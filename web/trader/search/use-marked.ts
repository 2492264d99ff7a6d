import { type KeyboardEvent, useRef, useState } from 'react'
import type { Option } from './use-found.ts'

interface Actions {
  typed: string
  take: (option: Option) => void
  star: (symbol: string) => void
}

/** The option that the arrow keys have reached, and the keys themselves. `first` is marked until one is chosen. */
export function useMarked(options: readonly Option[], first: string, { typed, take, star }: Actions) {
  const list = useRef<HTMLDivElement>(null)
  /** What was marked while this was typed: a key that types marks the first option again. */
  const [chosen, setChosen] = useState<{ id: string; typed: string }>()
  const choosable = options.filter(({ off }) => off === undefined)
  const isChoosing = chosen?.typed === typed
  const marked = isChoosing ? chosen?.id : first
  const current = choosable.find(({ id }) => id === marked) ?? choosable[0]

  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const at = current ? choosable.indexOf(current) : -1
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: choosable.length - 1 }[event.key]
    if (event.key === 'Enter') {
      event.preventDefault()
      if (current) take(current)
    }
    // By its place on the keyboard: with Alt, some systems type another character.
    const isStar = event.altKey
      ? event.code === 'KeyS'
      : isChoosing && event.key.toLowerCase() === 's' && !event.ctrlKey
    if (isStar && !event.metaKey && current?.is === 'market') {
      event.preventDefault()
      star(current.instrument.symbol)
    }
    if (to === undefined || ((event.key === 'Home' || event.key === 'End') && typed !== '')) return
    event.preventDefault()
    const next = choosable[(to + choosable.length) % choosable.length]
    if (!next) return
    setChosen({ id: next.id, typed })
    list.current?.querySelector(`[data-id="${CSS.escape(next.id)}"]`)?.scrollIntoView({ block: 'nearest' })
  }
  return { list, current, onKeyDown }
}
