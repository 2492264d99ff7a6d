import { lazy } from 'react'
import { answerLive, useLiveQuestion } from '#web/api/index.ts'
import { Loaded } from '#web/ui/index.ts'

const LiveQuestionModal = lazy(() => import('./live-question-modal.tsx'))

/** Mounts the question before the first switch to live, once in the layout of all screens. */
export function LiveQuestion() {
  const { isOpen } = useLiveQuestion()
  return (
    <Loaded when={isOpen}>
      <LiveQuestionModal open={isOpen} onAnswer={answerLive} />
    </Loaded>
  )
}
