import type { Notice } from '#contract/messages/notices.ts'

/** Within this time, a notice of the same kind only repeats what the user has just done here. */
const LATELY_MS = 5_000

const acts = new Map<Notice['kind'], number>()

/** Call this before a request whose result is shown, so that its notice isn't announced again. */
export const noteOwnAction = (kind: Notice['kind'], now = Date.now()): void => void acts.set(kind, now)

/** Whether a notice of this kind only repeats what this browser has just shown. */
export const isOwnAction = (kind: Notice['kind'], now = Date.now()): boolean =>
  now - (acts.get(kind) ?? Number.NEGATIVE_INFINITY) < LATELY_MS
