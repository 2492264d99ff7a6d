import type { PriceLists, PriceListVersion } from '#contract/trading/price-lists.ts'
import { must } from '#kernel/must.ts'
import { part, write } from '../../part.ts'
import { read } from '../../script/read.ts'
import { every } from '../draw.ts'
import { cellsOf, whenText } from './odds-words.ts'

const READ_MS = 60_000

/** Runs the odds that are offered, read again each minute. */
export const runOdds = (widget: HTMLElement): void => every(READ_MS, () => showOdds(widget))

async function showOdds(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: PriceLists }>('public/price-lists')
  const [now, next] = data.versions
  if (!now) return
  write(
    widget,
    'words',
    `Version ${now.version}${now.from === null ? '' : `, since ${textOf(now.from)}`}. The first rule that fits decides, and each trade keeps the version it was placed by. A change takes two operators; open trades keep their terms.`,
  )
  part(widget, 'lists').replaceChildren(...listsOf(widget, now))
  write(widget, 'next', next?.from ? `Version ${next.version} applies from ${textOf(next.from)}.` : '')
  const earlier = data.history.filter(({ version }) => version < now.version)
  part(widget, 'history').hidden = earlier.length === 0
  part(widget, 'versions').replaceChildren(
    ...earlier.map(({ version, from }) =>
      Object.assign(document.createElement('li'), {
        textContent: `Version ${version}, ${from === null ? 'from the beginning' : `from ${textOf(from)}, by two operators`}`,
      }),
    ),
  )
}

function listsOf(widget: HTMLElement, { document: lists }: PriceListVersion): Node[] {
  const template = part<HTMLTemplateElement>(widget, 'list')
  return lists.lists.flatMap(({ name, pairs }, at) => {
    const when = whenText(lists, at + 1)
    if (when === undefined) return []
    const card = template.content.cloneNode(true) as DocumentFragment
    write(card, 'name', name)
    write(card, 'when', when)
    part(card, 'table').setAttribute('aria-label', `Odds of ${name}`)
    const rows = part(card, 'rows')
    const row = must(rows.firstElementChild)
    rows.replaceChildren(
      ...pairs.map((pair) => {
        const filled = row.cloneNode(true) as HTMLElement
        for (const [place, text] of cellsOf(pair).entries()) must(filled.children[place]).textContent = text
        return filled
      }),
    )
    return [card]
  })
}

const textOf = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
