import type { ProofKey } from '#contract/proof.ts'
import type { Receipt, Step } from '#packages/verify/verify.js'
import { verifyReceipt } from '#packages/verify/verify.js'

export interface Checked {
  ok: boolean
  steps: Step[]
  receipt: Receipt | undefined
}

/** Returns the ids of published keys that were not revoked. */
export const trustedOf = (keys: readonly ProofKey[]): string[] =>
  keys.filter(({ revoked_at }) => revoked_at === undefined).map(({ id }) => id)

/** Checks a receipt in this browser. Sends nothing. */
export async function checkReceipt(text: string, trustedKeys: readonly string[] | undefined): Promise<Checked> {
  if (!globalThis.crypto?.subtle) throw new Error('This browser checks signatures on secure addresses (https) only.')
  return verifyReceipt(text, { trustedKeys })
}
