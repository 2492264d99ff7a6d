import type { Receipt } from '#packages/verify/verify.js'

/** A link to a receipt has its token in the fragment. */
const TOKEN = /^#([A-Za-z0-9_-]{22})$/

/** Loads the receipt that the page's address names, if any, and shows the result in `place`. */
export function showShared(place: HTMLElement, give: (file: File) => void): void {
  const token = TOKEN.exec(location.hash)?.[1]
  place.hidden = token === undefined
  if (token === undefined) return
  place.textContent = 'Loading the shared receipt …'
  load(token).then(
    (receipt) => {
      if (receipt) give(new File([JSON.stringify(receipt)], 'receipt.json', { type: 'application/json' }))
      place.textContent = receipt
        ? 'This receipt was shared by its trader. It was loaded from this platform and checked in your browser.'
        : 'The shared receipt isn’t ready yet. Reload the page in a minute.'
    },
    (error: Error) => {
      place.textContent = error.message
    },
  )
}

async function load(token: string): Promise<Receipt | null> {
  const response = await fetch(`/api/proof/receipt/${token}`).catch(() => undefined)
  const answer = (await response?.json().catch(() => undefined)) as
    | { data: Receipt | null; message?: string }
    | undefined
  if (!response || !answer) throw new Error('The shared receipt couldn’t be loaded. Reload the page.')
  if (!response.ok) throw new Error(answer.message ?? 'The shared receipt couldn’t be loaded. Reload the page.')
  return answer.data
}
