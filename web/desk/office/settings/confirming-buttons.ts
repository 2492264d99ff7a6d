import { decimalOf, withAmount } from '#web/ui/index.ts'

/** Returns the text of the button that proposes `count` settings, some of them amounts as they were typed. */
export function settingsButton(amounts: readonly string[], count: number): string {
  const verb = count === 1 ? 'Propose this change' : `Propose these ${count} changes`
  if (count === 1 && amounts.length === 1) return amounts.map((typed) => withAmount('Propose', typed)).join()
  return amounts.length === 0 ? verb : `${verb}:${amounts.map((typed) => withAmount('', typed)).join(',')}`
}

/** What is typed of the limits of loss. */
export interface LossTyped {
  share: string
  name: string
  limit: string
  reason: string
}

/** Returns the text of the button that proposes limits of loss, with what they change to. */
export function lossButton({ share, name, limit }: LossTyped, percent: number): string {
  const typedShare = decimalOf(share, 0)
  const verb = Number.isNaN(typedShare) || typedShare === percent ? 'Propose' : `Propose ${typedShare}%`
  if (name.trim() === '') return verb === 'Propose' ? 'Propose a limit of loss' : `${verb} of the equity`
  const and = verb === 'Propose' ? verb : `${verb} and`
  return withAmount(`${and} the limit of loss`, limit, limit.trim() === '' ? ': none' : '')
}
