import { create } from 'zustand'
import { useStore } from '../store.ts'
import { setMode } from './screen-choices.ts'

/** What is asked once after each sign-in: before the first switch to live, and before the first live trade. */
type Question = 'switch' | 'trade'

/** In session storage, so that a reload doesn't ask again. Signing out forgets it. */
const keyOf = (question: Question): string => `live-${question}`
export const isAnswered = (question: Question): boolean => sessionStorage.getItem(keyOf(question)) !== null
export const noteAnswer = (question: Question): void => sessionStorage.setItem(keyOf(question), 'yes')
export function forgetAnswers(): void {
  for (const question of ['switch', 'trade'] as const) sessionStorage.removeItem(keyOf(question))
}

/** The question before a switch to live, and what follows the switch. */
export const useLiveQuestion = create<{ isOpen: boolean; next?: (() => void) | undefined }>(() => ({ isOpen: false }))

/** Switches to live and calls `next`; asks first if nobody was asked since the sign-in. */
export function goLive(next?: () => void): void {
  const isFirst = useStore.getState().mode !== 'real' && !isAnswered('switch')
  useLiveQuestion.setState({ isOpen: isFirst, next })
  if (!isFirst) answerLive(true)
}

export function answerLive(agreed: boolean): void {
  const { next } = useLiveQuestion.getState()
  useLiveQuestion.setState({ isOpen: false, next: undefined })
  if (!agreed) return
  noteAnswer('switch')
  setMode('real')
  next?.()
}
