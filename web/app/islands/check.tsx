import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import type { ProofKey } from '#contract/prices/proof.ts'
import { must } from '#kernel/must.ts'
import { CheckReceipt } from '#web/receipts/index.ts'
import { stopRequests } from '#web/site/index.ts'
import { released } from './released.ts'
import { showShared } from './shared-receipt.ts'

/**
 * Replaces the static form with the one that checks. `give` passes a file that the visitor chose before this code was
 * loaded.
 */
export async function takeOverCheck(drawn: HTMLElement, keys: Promise<readonly ProofKey[] | undefined>) {
  await released(drawn)
  const place = must(drawn.parentElement)
  const typed = drawn.querySelector('textarea')?.value ?? ''
  const typedHash = drawn.querySelector<HTMLInputElement>('[name="hash"]')?.value ?? ''
  const active = drawn.contains(document.activeElement) ? document.activeElement : undefined
  const name = active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement ? active.name : undefined
  drawn.remove()
  const root = createRoot(place)
  const draw = (given?: File) =>
    flushSync(() => root.render(<CheckReceipt keys={keys} {...{ typed, typedHash, given }} onGiven={stopRequests} />))
  draw()
  if (name) place.querySelector<HTMLElement>(`[name="${name}"]`)?.focus({ preventScroll: true })
  const openShared = () => showShared(must(place.parentElement?.querySelector('[data-shared]')), draw)
  addEventListener('hashchange', openShared)
  openShared()
  return { give: draw }
}
