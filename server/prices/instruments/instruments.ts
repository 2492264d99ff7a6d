import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import type { TradingType } from '#contract/prices/prices.ts'
import { assert } from '#kernel/assert.ts'
import { must } from '#kernel/must.ts'
import { type Db, sql } from '../../platform/database/db.ts'
import type { DB } from '../../platform/database/db-types.ts'
import type { IndexTerms } from '../../venues/index.ts'

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
  /** Why operators closed it for new trades; null while it is open. */
  closedReason: string | null
  /** Operators refuse real trades on it. */
  demoOnly: boolean
  /** What its live price must satisfy. */
  terms: IndexTerms
  /** It was withdrawn before it ever had a price. It only keeps its slot; `bySymbol` and the other look-ups don't find it. */
  withdrawn?: true
}

/** Ids of the instruments that every installation begins with. */
const FIRST_IDS = 82

/** Whether operators have added an instrument, with decimal places of their choice. */
export const wasAdded = ({ id }: Instrument): boolean => id > FIRST_IDS

/** How many instruments a tape can have. */
export const SLOTS_MAX = 512

/**
 * All instruments. An instrument's index in `list` is its slot: it never changes, and new instruments come last. Those
 * that were withdrawn stay in `list` until a restart: `current()` is without them.
 */
export interface Instruments {
  list: readonly Instrument[]
  current(): readonly Instrument[]
  /** The slots of all current instruments by ascending symbol: the order of a frame. */
  inFrameOrder(): readonly number[]
  /** Replaces all instruments by these: changed, new and withdrawn ones. Returns whether there were any. */
  update(instruments: readonly Instrument[]): boolean
  bySymbol(symbol: string): Instrument | undefined
  byId(id: number): Instrument | undefined
  slotOf(symbol: string): number | undefined
}

export async function loadInstruments(db: Db): Promise<Instruments> {
  return instrumentsFrom(await readInstruments(db))
}

interface InstrumentRow extends Selectable<DB['instruments']> {
  /** The terms by which prices are made until a change counts; null if none is due. */
  before: PriceTerms | null
}

type PriceTerms = Pick<
  Selectable<DB['instruments']>,
  'min_sources' | 'depth_usd' | 'largest_spread_bps' | 'largest_deviation_bps' | 'stale_after_ms' | 'venues'
>

/** Returns all instruments as they are stored, with the terms that count now. */
export async function readInstruments(db: Db): Promise<Instrument[]> {
  const { rows } = await sql<InstrumentRow>`
    select i.*, (
      select c.before from terms_changes c where c.symbol = i.symbol and c.effective_from > (select t from tape_head)
      order by c.effective_from, c.id limit 1
    ) as before from instruments i`.execute(db)
  return rows
    .map(({ before, ...stored }) => ({ ...stored, ...before }))
    .map((row) => ({
      id: row.id,
      symbol: row.symbol,
      base: row.base,
      quote: row.quote,
      tradingType: row.trading_type,
      scale: row.scale,
      staleAfterMs: row.stale_after_ms,
      notLiveReason: row.not_live_reason,
      closedReason: row.closed_reason,
      demoOnly: row.demo_only,
      terms: {
        minSources: row.min_sources,
        depthUsd: row.depth_usd,
        largestSpreadBps: row.largest_spread_bps,
        largestDeviationBps: row.largest_deviation_bps,
        staleMs: row.stale_after_ms,
        venues: row.venues ?? 'all',
      },
    }))
}

export function instrumentsFrom(instruments: readonly Instrument[]): Instruments {
  const list: Instrument[] = []
  const slots = new Map<string, number>()
  const ids = new Map<number, Instrument>()
  let order: number[] = []
  let current: Instrument[] = []

  function update(all: readonly Instrument[]): boolean {
    let isNews = withdraw(all)
    for (const instrument of all) {
      const slot = slots.get(instrument.symbol) ?? list.length
      if (isDeepStrictEqual(list[slot], instrument)) continue
      assert(slot < SLOTS_MAX, `there are at most ${SLOTS_MAX} instruments`)
      list[slot] = instrument
      slots.set(instrument.symbol, slot)
      ids.set(instrument.id, instrument)
      isNews = true
    }
    // By code unit, like the frame's comparison: not by the database's or the machine's locale.
    order = [...slots.values()].sort((a, b) => (must(list[a]).symbol < must(list[b]).symbol ? -1 : 1))
    current = list.filter(({ withdrawn }) => !withdrawn)
    return isNews
  }

  /** Forgets the instruments that aren't among these. Their slots aren't used again: a late quote must hit no other one. */
  function withdraw(all: readonly Instrument[]): boolean {
    const kept = new Set(all.map(({ id }) => id))
    const gone = [...slots].filter(([, slot]) => !kept.has(must(list[slot]).id))
    for (const [symbol, slot] of gone) {
      ids.delete(must(list[slot]).id)
      slots.delete(symbol)
      list[slot] = { ...must(list[slot]), tradingType: null, withdrawn: true }
    }
    return gone.length > 0
  }

  update(instruments.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1)))
  return {
    list,
    current: () => current,
    inFrameOrder: () => order,
    update,
    slotOf: (symbol) => slots.get(symbol),
    byId: (id) => ids.get(id),
    bySymbol: (symbol) => {
      const slot = slots.get(symbol)
      return slot === undefined ? undefined : list[slot]
    },
  }
}
