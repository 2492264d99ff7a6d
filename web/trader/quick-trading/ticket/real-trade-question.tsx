import type { TradeSide } from '#contract/trading.ts'
import { Button, formatDuration, formatUsd, Modal, QuestionButtons, useLast } from '#web/ui/index.ts'

interface RealTradeQuestionProps {
  /** The side that was pressed; `undefined` once it's answered. */
  side: TradeSide | undefined
  symbol: string
  /** Seconds. */
  duration: number
  /** US dollars. */
  stake: number
  profit: number
  onAnswer: (agreed: boolean) => void
}

/** Asks once after each sign-in, before the first order with real money. */
export default function RealTradeQuestion({
  symbol,
  duration,
  stake,
  profit,
  onAnswer,
  ...pressed
}: RealTradeQuestionProps) {
  const side = useLast(pressed.side) ?? 'Buy'
  return (
    <Modal open={pressed.side !== undefined} onClose={() => onAnswer(false)} title="This is real money">
      <p>
        {side} {symbol} for <strong className="tabular">{formatUsd(stake)}</strong>, {formatDuration(duration)}. You win{' '}
        <strong className="tabular">{formatUsd(profit)}</strong> or lose{' '}
        <strong className="tabular">{formatUsd(stake)}</strong>.
      </p>
      <QuestionButtons>
        <Button look="secondary" size="large" onClick={() => onAnswer(false)}>
          Cancel
        </Button>
        <Button look="live" size="large" onClick={() => onAnswer(true)}>
          {side} with real money
        </Button>
      </QuestionButtons>
      <p>
        <small>We won't ask again until you sign out.</small>
      </p>
    </Modal>
  )
}
