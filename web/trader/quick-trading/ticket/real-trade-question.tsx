import { Button, dollarsOf, formatDuration, formatUsd, Modal, QuestionButtons, useLast } from '#web/ui/index.ts'
import { payoutOf } from './order.ts'
import type { OrderForm } from './use-order-form.ts'

interface RealTradeQuestionProps {
  /** `asked` is the side that was pressed; `undefined` once it's answered. */
  form: Pick<OrderForm, 'order' | 'stake' | 'asked' | 'answer' | 'waits'>
}

/** Asks once after each sign-in, before the first order with real money. */
export default function RealTradeQuestion({ form: { order, asked, answer, ...form } }: RealTradeQuestionProps) {
  const side = useLast(asked) ?? 'Buy'
  const stake = dollarsOf(form.stake) ?? 0
  const { profit } = payoutOf(order, side, stake)
  return (
    <Modal open={asked !== undefined} onClose={() => answer(false)} title="This is real money">
      <p>
        {side} {order.symbol} for <strong className="tabular">{formatUsd(stake)}</strong>,{' '}
        {formatDuration(order.duration)}
        {form.waits !== undefined && `, once the price is ${form.waits}`}. You win{' '}
        <strong className="tabular">{formatUsd(profit)}</strong> or lose{' '}
        <strong className="tabular">{formatUsd(stake)}</strong>.
      </p>
      <QuestionButtons>
        <Button look="secondary" size="large" onClick={() => answer(false)}>
          Cancel
        </Button>
        <Button look="live" size="large" onClick={() => answer(true)}>
          {side} with real money
        </Button>
      </QuestionButtons>
      <p>
        <small>We won't ask again until you sign out.</small>
      </p>
    </Modal>
  )
}
