import type { ProofKey } from '#contract/prices/proof.ts'
import type { Receipt, Step } from '#packages/verify/verify.js'
import { verifyReceipt } from '#packages/verify/verify.js'

export interface Checked {
  ok: boolean
  steps: Step[]
  receipt: Receipt | undefined
}

/** Checks a receipt in this browser. Sends nothing. */
export async function checkReceipt(text: string, published: readonly ProofKey[] | undefined): Promise<Checked> {
  if (!globalThis.crypto?.subtle) throw new Error('This browser checks signatures on secure addresses (https) only.')
  return verifyReceipt(text, { published })
}
