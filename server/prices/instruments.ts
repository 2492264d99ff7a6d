import type { TradingType } from '#contract/prices.ts'
import type { Db } from '../platform/db.ts'

/** Something that has a price. */
export interface Instrument {
  id: number
  symbol: string
  base: string
  quote: string
  /** Null for instruments that are only displayed. */
  tradingType: TradingType | null
  /** Decimal places of its prices. */
  scale: number
  /** After this much silence its price is stale and it can't be traded. */
  staleAfterMs: number
  /** Why no real exchange lists it; null if one does. */
  notLiveReason: string | null
}

/** All instruments, by ascending symbol: the order of a frame. An instrument's index in `list` is its slot. */
export interface Instruments {
  list: readonly Instrument[]
  bySymbol(symbol: string): Instrument | undefined
  byId(id: number): Instrument | undefined
  slotOf(symbol: string): number | undefined
}

export async function loadInstruments(db: Db): Promise<Instruments> {
  const rows = await db.selectFrom('instruments').selectAll().execute()
  return instrumentsFrom(
    rows.map((row) => ({
      id: row.id,
      symbol: row.symbol,
      base: row.base,
      quote: row.quote,
      tradingType: row.trading_type as TradingType | null,
      scale: row.scale,
      staleAfterMs: row.stale_after_ms,
      notLiveReason: row.not_live_reason,
    })),
  )
}

export function instrumentsFrom(unsorted: readonly Instrument[]): Instruments {
  // By code unit, like the frame's comparison: not by the database's or the machine's locale.
  const list = unsorted.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1))
  const slots = new Map(list.map((instrument, slot) => [instrument.symbol, slot]))
  const ids = new Map(list.map((instrument) => [instrument.id, instrument]))
  return {
    list,
    slotOf: (symbol) => slots.get(symbol),
    byId: (id) => ids.get(id),
    bySymbol: (symbol) => {
      const slot = slots.get(symbol)
      return slot === undefined ? undefined : list[slot]
    },
  }
}
