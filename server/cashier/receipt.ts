import { Problem } from '#contract/problem.ts'
import type { Files } from '../platform/files/index.ts'
import type { DepositRow } from './store.ts'

/** The picture of a receipt, a JPEG. Throws `not_found` where a deposit has none. Who may see it is for the caller to know. */
export async function receiptOf(deps: { files: Files }, deposit: Pick<DepositRow, 'receipt'>): Promise<Buffer> {
  const picture = deposit.receipt === null ? undefined : await deps.files.get(deposit.receipt)
  if (!picture) throw new Problem('not_found', 'There is no such receipt.')
  return picture
}
