export { type Direction, FACTORS, type Factor, SHOCKS } from './shocks.ts'
export { type Losses, type OpenTrades, type PricedSymbol, type WorstLoss, worstLoss } from './worst-loss.ts'
