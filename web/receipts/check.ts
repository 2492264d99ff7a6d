import type { ProofKey } from '#contract/prices/proof.ts'
import type { Receipt, Step } from '#packages/verify/verify.js'
import { verifyReceipt } from '#packages/verify/verify.js'

export interface Checked {
  ok: boolean
  steps: Step[]
  receipt: Receipt | undefined
}

/** Checks a receipt in this browser. Sends nothing. `orderHash`: what the trader kept of the order. */
export async function checkReceipt(
  text: string,
  published: readonly ProofKey[] | undefined,
  orderHash?: string,
): Promise<Checked> {
  if (!globalThis.crypto?.subtle) throw new Error('This browser checks signatures on secure addresses (https) only.')
  return verifyReceipt(text, { published, orderHash })
}
