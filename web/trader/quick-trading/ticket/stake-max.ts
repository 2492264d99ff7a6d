import type { StakeLimits } from '#contract/trading.ts'
import { formatUsd, roundToCents } from '#web/ui/index.ts'

/** The largest stake that would be accepted, US dollars, and the limit that caps it. */
export interface StakeMax {
  stake: number
  binds: 'balance' | 'trade' | 'open stakes' | 'symbol'
}

/** `limits` is undefined until they are loaded; until then only the balance counts. */
export function stakeMaxOf(balance: number, limits: StakeLimits | undefined): StakeMax {
  const room = limits && Math.max(0, roundToCents(limits.open_stake_max - limits.open_stake))
  const all: StakeMax[] = [
    { stake: balance, binds: 'balance' },
    ...(limits && room !== undefined
      ? ([
          { stake: limits.stake_max, binds: 'trade' },
          { stake: room, binds: 'open stakes' },
          ...(limits.symbol_room === null ? [] : [{ stake: limits.symbol_room, binds: 'symbol' } as const]),
        ] as const)
      : []),
  ]
  return all.reduce((least, one) => (one.stake < least.stake ? one : least))
}

/** Returns the text of the binding limit for the order panel. */
export function stakeMaxWords({ stake, binds }: StakeMax, limits: StakeLimits | undefined): string {
  const most = `Max ${formatUsd(stake)}`
  if (binds === 'trade')
    return limits?.thin_market ? `${most}: this market is thin right now` : `${most}: the limit per trade`
  if (binds === 'open stakes' && limits)
    return `${most}: open stakes are limited to ${formatUsd(limits.open_stake_max)}`
  if (binds === 'symbol') return `${most}: the remaining limit on this symbol`
  return `${most}: your balance`
}
