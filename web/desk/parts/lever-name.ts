import type { DeskLever } from '#contract/desk/markets/levers.ts'

/** Names a lever by what it does while it is pulled. */
export function leverName({ kind, symbol }: Pick<DeskLever, 'kind' | 'symbol'>): string {
  switch (kind) {
    case 'real-trading':
      return 'Real trading is stopped'
    case 'symbol':
      return `${symbol} is stopped`
    case 'withdrawals':
      return 'Withdrawals are paused'
    case 'maintenance':
      return 'Maintenance notice'
  }
}
