import type { Asset, Checkpoint, CheckpointTimestamp, ProofKey, SolvencyStatement } from '#contract/prices/proof.ts'
import { part, write } from '../../part.ts'
import type { Islands } from '../../script/islands.ts'
import { QUIET } from '../../script/quotes.ts'
import { read } from '../../script/read.ts'

/** Rows of each table. */
const NEWEST = 5
/** Events that suggest that the visitor is about to give a receipt. */
const NEAR = ['pointerenter', 'focusin', 'touchstart', 'input'] as const

/** Loads the keys and the newest checkpoints, and the check itself when a visitor is about to use it. */
export function runCheck(widget: HTMLElement, load: Islands['check']): void {
  const drawn = part(widget, 'check-receipt')
  const keys = read<{ data: ProofKey[] }>('proof/keys').then(
    ({ data }) => data,
    () => undefined,
  )
  void keys.then((found) => sayKeys(part(widget, 'keys'), found))
  for (const [name, list] of [
    ['checkpoints', listCheckpoints],
    ['timestamps', sayTimestamp],
    ['statements', listSolvencyStatements],
    ['assets', listAssets],
  ] as const)
    list(widget).catch(() => {
      say(widget, name, `The ${name} couldn’t be loaded. Reload the page.`)
    })

  let taken: ReturnType<typeof take> | undefined
  const take = async () => (await load()).takeOverCheck(drawn, keys)
  const prepare = () => {
    // A failed load is retried at the next interaction.
    taken ??= take().catch((error) => {
      taken = undefined
      throw error
    })
    return taken
  }
  const near = () => void prepare().catch(() => undefined)
  for (const sign of NEAR) drawn.addEventListener(sign, near, { passive: true })
  addEventListener('dragenter', near)
  // A file that misses the area must not replace the page, and one that comes early waits for the code.
  addEventListener('dragover', (event) => event.preventDefault())
  addEventListener('drop', (event) => {
    if (event.defaultPrevented) return
    event.preventDefault()
    give(event.dataTransfer?.files[0])
  })
  drawn.addEventListener('change', ({ target }) => give((target as HTMLInputElement).files?.[0]))
  drawn.addEventListener('submit', (event) => event.preventDefault())
  // What the visitor did before this code was there, or a link to a receipt.
  if (drawn.contains(document.activeElement) || drawn.matches(':hover') || location.hash) near()
  give(drawn.querySelector<HTMLInputElement>('[type="file"]')?.files?.[0])

  function give(file: File | null | undefined): void {
    if (file)
      prepare().then(
        (live) => live.give(file),
        () => undefined,
      )
  }
}

/** Called before a receipt is read: from here on the page makes no request. */
export const stopRequests = (): void => void dispatchEvent(new Event(QUIET))

function sayKeys(place: Element, keys: readonly ProofKey[] | undefined): void {
  if (!keys) {
    place.textContent = 'The published keys couldn’t be loaded. Compare the key ids yourself, or reload the page.'
    return
  }
  const revoked = keys.filter(({ revoked_at }) => revoked_at !== undefined).length
  const counted = `${keys.length} published ${keys.length === 1 ? 'key' : 'keys'}`
  place.textContent = `Receipts are compared with ${counted}${revoked > 0 ? ` (${revoked} revoked)` : ''}.`
}

async function listCheckpoints(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: Checkpoint[] }>(`proof/checkpoints?limit=${NEWEST}`)
  fill(
    widget,
    'checkpoints',
    data.map(({ frame, time, trades, hash, key }) => [
      frame.toLocaleString('en-US'),
      clock(time),
      trades.toLocaleString('en-US'),
      `${hash.slice(0, 16)}…`,
      `${key.slice(0, 8)}…`,
    ]),
    'There are no checkpoints yet. The first one follows within a minute.',
  )
}

/** Says which checkpoint an authority certified last. */
async function sayTimestamp(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: CheckpointTimestamp[] }>('proof/timestamps?limit=1')
  for (const { authority, frame, time } of data)
    say(widget, 'timestamps', `${authority} certified frame ${frame} at ${time.slice(0, 19)}.`)
}

async function listSolvencyStatements(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: SolvencyStatement[] }>(`proof/solvency?limit=${NEWEST}`)
  fill(
    widget,
    'statements',
    data.map(({ number, time, accounts, total, root }) => [
      String(number),
      clock(time),
      accounts.toLocaleString('en-US'),
      `$${Number(total).toLocaleString('en-US', { minimumFractionDigits: 2 })}`,
      `${root.slice(0, 16)}…`,
    ]),
    'There is no statement yet. The first one follows the next midnight (UTC).',
  )
}

async function listAssets(widget: HTMLElement): Promise<void> {
  const { data } = await read<{ data: Asset[] }>('proof/assets')
  fill(
    widget,
    'assets',
    data.map(({ name, coin, address }) => [name, coin, address]),
    'We don’t publish addresses, so a statement shows what we owe to traders, but not what we hold.',
  )
  part(widget, 'assets-table').hidden = data.length === 0
}

const say = (widget: HTMLElement, name: string, text: string): void => write(widget, `${name}-state`, text)

/** Fills a table by its template, one text for each cell, or says that there is nothing. */
function fill(widget: HTMLElement, name: string, rows: readonly string[][], none: string): void {
  const template = part<HTMLTemplateElement>(widget, `${name}-row`)
  say(widget, name, rows.length === 0 ? none : '')
  part(widget, `${name}-rows`).replaceChildren(
    ...rows.map((texts) => {
      const row = template.content.cloneNode(true) as DocumentFragment
      row.querySelectorAll('td').forEach((cell, i) => {
        cell.textContent = texts[i] ?? ''
      })
      return row
    }),
  )
}

const clock = (time: number): string => new Date(time).toISOString().slice(0, 19).replace('T', ' ')
