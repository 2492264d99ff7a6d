import type { Parsed } from '#contract/api.ts'
import type { DeskInstrument, DeskInstrumentPreview } from '#contract/desk/markets/instruments.ts'
import type { InstrumentChangeKind } from '#contract/desk/terms.ts'
import { formatPrice } from '#kernel/price.ts'
import { sql } from '../../platform/database/db.ts'
import { DEFAULT_TERMS } from '../../venues/index.ts'
import type { DeskDeps } from '../deps.ts'
import { readList } from '../lists/read.ts'
import { checkPair } from '../queues/markets/instrument-changes.ts'
import { sourceOf } from './feeds.ts'

type Row = Omit<DeskInstrument, 'status' | 'reason' | 'price' | 'change'> & {
  change: string | null
  kind: InstrumentChangeKind
  operator: string
  email: string
}

/** Returns all instruments as stored, with their status and price on this node, by symbol. */
export async function instruments({ reads, prices }: Pick<DeskDeps, 'reads' | 'prices'>): Promise<DeskInstrument[]> {
  const rows = await readList<Row>(
    reads,
    sql`
      select i.symbol, i.base, i.quote, i.trading_type, i.scale, i.min_sources, i.depth_usd, i.largest_spread_bps,
        i.largest_deviation_bps, i.stale_after_ms, i.venues, i.demo_only, i.closed_reason,
        exists (select from tape_kinds k where k.symbol_id = i.id) as has_had_price, c.id::text as change, c.payload ->> 'kind' as kind, p.id::text as operator,
        p.email
      from instruments i left join proposals c
        on c.kind = 'instrument-changes' and c.subject = i.symbol and c.status = 'Pending'
      left join operators p on p.id = c.proposed_by
      order by i.symbol`,
  )
  return rows.map(({ change, kind, operator, email, ...row }) => ({
    ...row,
    ...stateOf(prices, row),
    change: change === null ? null : { id: change, kind, proposed_by: { operator_id: operator, email } },
  }))
}

function stateOf(
  { tape, instruments }: DeskDeps['prices'],
  { symbol, scale }: Pick<Row, 'symbol' | 'scale'>,
): Pick<DeskInstrument, 'status' | 'reason' | 'price'> {
  if (!instruments.bySymbol(symbol)) return { status: 'stale', reason: 'It was added a moment ago.' }
  const { status, reason } = tape.status(symbol)
  const tick = tape.latest(symbol)
  return {
    status,
    ...(reason === undefined ? {} : { reason }),
    ...(tick === undefined ? {} : { price: formatPrice(tick.price, scale) }),
  }
}

/** The scale of a preview that names none. */
const PREVIEW_SCALE = 8

/** Returns the price that an instrument would have now, and how it would be made. */
export async function previewInstrument(
  { prices }: Pick<DeskDeps, 'prices'>,
  query: Parsed<'GET /desk/instruments/preview', 'query'>,
): Promise<DeskInstrumentPreview> {
  const { base, quote } = query
  const symbol = checkPair(base, quote)
  const terms = {
    ...DEFAULT_TERMS,
    minSources: Number(query.min_sources ?? DEFAULT_TERMS.minSources),
    depthUsd: Number(query.depth_usd ?? DEFAULT_TERMS.depthUsd),
    largestSpreadBps: Number(query.largest_spread_bps ?? DEFAULT_TERMS.largestSpreadBps),
    largestDeviationBps: Number(query.largest_deviation_bps ?? DEFAULT_TERMS.largestDeviationBps),
    staleMs: Number(query.stale_after_ms ?? DEFAULT_TERMS.staleMs),
    venues: query.venues?.split(',') ?? DEFAULT_TERMS.venues,
  }
  const preview = await prices.preview({ base, quote, scale: Number(query.scale ?? PREVIEW_SCALE), terms })
  return { symbol, source: sourceOf(prices), exists: prices.instruments.bySymbol(symbol) !== undefined, ...preview }
}
