import { useUser } from '#web/api/index.ts'
import { Button, formatUsd, Modal, QuestionButtons } from '#web/ui/index.ts'

/** Asks once after each sign-in: from here on, orders spend real money. */
export default function LiveQuestionModal({ open, onAnswer }: { open: boolean; onAnswer: (agreed: boolean) => void }) {
  const { balance } = useUser()
  return (
    <Modal open={open} onClose={() => onAnswer(false)} title="Switch to your live account?">
      <p>
        You're about to trade with <strong>real money</strong>. Your live balance is{' '}
        <strong className="tabular">{formatUsd(balance)}</strong>. The keys B and S stay off until you arm them.
      </p>
      <QuestionButtons>
        <Button look="secondary" size="large" onClick={() => onAnswer(false)}>
          Stay in demo
        </Button>
        <Button look="live" size="large" onClick={() => onAnswer(true)}>
          Trade Live
        </Button>
      </QuestionButtons>
    </Modal>
  )
}
