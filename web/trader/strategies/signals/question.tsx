import type { ReactNode } from 'react'
import { queryClient, useRequest } from '#web/api/index.ts'
import { Alert, Button, QuestionButtons, toast } from '#web/ui/index.ts'
import styles from './signals.module.css'

interface QuestionProps {
  /** What the button says that goes ahead. */
  confirm: string
  look?: 'primary' | 'danger'
  /** Returns the message that says it's done. */
  act: () => Promise<{ message: string }>
  onClose: () => void
  children: ReactNode
}

/** A question about a strategy, in a modal: what the action means, and its two answers. */
export function Question({ confirm, look = 'primary', act, onClose, children }: QuestionProps) {
  const { loading, error, run } = useRequest()
  const go = () =>
    run(async () => {
      toast.success((await act()).message)
      await queryClient.invalidateQueries({ queryKey: ['GET /strategies'] })
      onClose()
    })
  return (
    <div className={styles.dialog}>
      {children}
      <Alert>{error}</Alert>
      <QuestionButtons>
        <Button look="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button look={look} loading={loading} onClick={() => void go()}>
          {confirm}
        </Button>
      </QuestionButtons>
    </div>
  )
}
