import type { Notice } from '#contract/notices.ts'

/** Within this time a notice of the same kind tells what somebody has just done here himself. */
const LATELY_MS = 5_000

const acts = new Map<Notice['kind'], number>()

/** To be said before a call whose answer is shown: its notice need not be said aloud once more. */
export const noteOwnAct = (kind: Notice['kind'], now = Date.now()): void => void acts.set(kind, now)

/** Whether a notice of this kind only repeats what this browser has just been told. */
export const isOwnAct = (kind: Notice['kind'], now = Date.now()): boolean =>
  now - (acts.get(kind) ?? Number.NEGATIVE_INFINITY) < LATELY_MS
