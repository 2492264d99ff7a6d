import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { Instrument } from '#contract/prices/prices.ts'
import { useScreenChoices, useUser } from '#web/api/index.ts'
import { useFavourites } from '#web/markets/index.ts'
import { DEFAULT_SYMBOL } from '#web/ui/index.ts'
import { openOrder, setOrder, useOrder } from '../ticket/draft-order.ts'

/**
 * Opens the order as the trader left it, on any device, and keeps its symbol in the address: `?symbol=ETHUSDT` leads
 * there from a bookmark, an alert or a list. `isReady` once the symbol is known; `choose` changes it.
 */
export function useSymbol(instruments: readonly Instrument[]): { isReady: boolean; choose: (symbol: string) => void } {
  const { id } = useUser()
  const choices = useScreenChoices()
  const { note } = useFavourites()
  const isOpened = useOrder((order) => order.owner === id)
  const symbol = useOrder((order) => order.symbol)
  const [params, setParams] = useSearchParams()
  const asked = params.get('symbol')
  const taken = useRef<string>(null)

  useEffect(() => {
    if (choices && !isOpened) openOrder(id, choices)
  }, [choices, isOpened, id])

  // The address decides whenever it changes; a symbol that can't be traded is not shown.
  useEffect(() => {
    if (!isOpened || instruments.length === 0) return
    const isNew = asked !== null && asked !== taken.current
    taken.current = asked
    const { symbol, trading_type } = useOrder.getState()
    const wanted = isNew && typeOf(instruments, asked) ? asked : typeOf(instruments, symbol) ? symbol : DEFAULT_SYMBOL
    const type = typeOf(instruments, wanted)
    if (type && (wanted !== symbol || type !== trading_type)) setOrder({ symbol: wanted, trading_type: type })
  }, [asked, isOpened, instruments])

  return {
    isReady:
      isOpened && (asked === null || asked === symbol || (instruments.length > 0 && !typeOf(instruments, asked))),
    choose: (symbol) => {
      const type = typeOf(instruments, symbol)
      setOrder({ symbol, ...(type && { trading_type: type }) })
      note(symbol)
      taken.current = symbol
      setParams((before) => ({ ...Object.fromEntries(before), symbol }), { replace: true })
    },
  }
}

const typeOf = (instruments: readonly Instrument[], symbol: string) =>
  instruments.find((one) => one.symbol === symbol)?.trading_type ?? undefined
