export function isSaleRule(name: unknown): boolean
export function varianceMinute(time: number): number
export function saleTimes(rule: string): { waitMs: number; closedMs: number }
export function feeOf(rule: string, payout: bigint): bigint
export function worth(of: {
  rule: string
  side: 'Buy' | 'Sell'
  payout: bigint
  entry: bigint
  price: bigint
  left: number
  variance: number
}): bigint
