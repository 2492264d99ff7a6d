import { Problem } from '#contract/problem.ts'
import type { Files } from '../../platform/files/index.ts'
import type { DepositRow } from './store.ts'

/**
 * Returns the image of a payment proof as JPEG. Throws `not_found` when a deposit has none. The caller checks who may see it.
 */
export async function paymentProofOf(deps: { files: Files }, deposit: Pick<DepositRow, 'receipt'>): Promise<Buffer> {
  const picture = deposit.receipt === null ? undefined : await deps.files.get(deposit.receipt)
  if (!picture) throw new Problem('not_found', 'Receipt not found.')
  return picture
}
