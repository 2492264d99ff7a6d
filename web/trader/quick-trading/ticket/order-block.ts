import type { PriceSource } from '#contract/prices/prices.ts'
import type { Mode } from '#contract/trading/trading.ts'
import { STAKE } from '#web/ui/index.ts'
import type { SymbolState } from '../market/use-market.ts'

/** Why no order can be placed at the moment, and what helps. */
export type OrderBlock =
  | { is: 'offline' }
  | { is: 'closed'; reopensMs: number | undefined }
  | { is: 'unavailable'; reason: string }
  | { is: 'stale'; seconds: number | undefined }
  | { is: 'noRealTrades'; source: PriceSource | undefined }
  /** Real trades of this symbol, but not of others. */
  | { is: 'demoOnly'; reason: string }
  | { is: 'empty'; mode: Mode }

/** Whether what is shown of prices is old. */
export const isOld = (of: { is: string } | undefined): boolean => of?.is === 'stale' || of?.is === 'offline'

interface Situation {
  mode: Mode
  /** Balance of the mode's account, US dollars. */
  balance: number
  state: SymbolState
  realTrades: boolean
  source: PriceSource | undefined
  /** Why no real stake is accepted on the symbol. */
  refused?: string | undefined
}

/** Returns what blocks an order, most severe first; `undefined` if nothing does. */
export function blockOf({ mode, balance, state, realTrades, source, refused }: Situation): OrderBlock | undefined {
  if (state.is === 'offline') return { is: 'offline' }
  if (mode === 'real' && balance < STAKE.min) return { is: 'empty', mode }
  if (mode === 'real' && !realTrades) return { is: 'noRealTrades', source }
  if (state.is === 'unavailable') return { is: 'unavailable', reason: state.reason }
  if (state.is === 'closed') return { is: 'closed', reopensMs: state.reopensMs }
  if (state.is === 'stale') return { is: 'stale', seconds: state.seconds }
  if (mode === 'real' && refused !== undefined) return { is: 'demoOnly', reason: refused }
  if (balance < STAKE.min) return { is: 'empty', mode }
  return undefined
}
