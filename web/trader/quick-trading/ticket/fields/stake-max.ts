import type { StakeLimits } from '#contract/trading/trading.ts'
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

const BINDS = {
  trade: ' a trade',
  'open stakes': ': open stakes limit',
  symbol: ': symbol limit',
} as const

/** Returns what is available, or the binding limit, for the line above the amount. */
export function stakeMaxWords({ stake, binds }: StakeMax, limits: StakeLimits | undefined): string {
  if (binds === 'balance') return `Available ${formatUsd(stake)}`
  return `Max ${formatUsd(stake)}${binds === 'trade' && limits?.thin_market ? ': thin market' : BINDS[binds]}`
}
