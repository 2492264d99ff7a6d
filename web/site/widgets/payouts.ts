import type { PriceSource } from '#contract/prices/prices.ts'
import type { Payout } from '#contract/trading/figures.ts'
import { must } from '#kernel/must.ts'
import { part, write } from '../part.ts'
import { SOURCE_WORDS } from '../script/quotes.ts'
import { read } from '../script/read.ts'
import { every } from './draw.ts'

const READ_MS = 5_000

/** Runs the list of payouts, reloaded at an interval. */
export const runPayouts = (widget: HTMLElement): void => every(READ_MS, () => showPayouts(widget))

async function showPayouts(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: { source: PriceSource; payouts: Payout[] } }>('public/payouts')
  const empty = part(widget, 'empty')
  empty.hidden = data.payouts.length > 0
  must(empty.querySelector('p')).textContent = 'No real trade has been won here yet. The first one will appear here.'
  part(widget, 'rows').replaceChildren(
    ...data.payouts.map(({ symbol, trade_mode, stake, payout, at }) => {
      const row = document.createElement('tr')
      const day = inA('span', at.slice(0, 10))
      const time = inA('span', at.slice(11, 16))
      row.append(
        inA('td', day, ' ', time),
        inA('td', symbol),
        inA('td', trade_mode),
        inA('td', `$${stake.toLocaleString('en-US')}`),
        inA('td', `$${payout.toLocaleString('en-US')}`),
      )
      return row
    }),
  )
  const words = SOURCE_WORDS[data.source]
  write(
    widget,
    'span',
    `Settled trades on real accounts, newest first${words && `; ${words.toLowerCase()}, play money on a test installation`}`,
  )
}

function inA(name: string, ...parts: (string | Node)[]): HTMLElement {
  const made = document.createElement(name)
  made.append(...parts)
  return made
}
