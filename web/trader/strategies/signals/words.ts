import { type ReceivedSignal, WEBHOOK_SECONDS } from '#contract/trading/webhooks.ts'

const WHY: Record<NonNullable<ReceivedSignal['void']>, string> = {
  malformed: "It isn't a valid message.",
  late: `Late: its time was more than ${WEBHOOK_SECONDS} seconds off, or it couldn't be recorded in time.`,
  repeated: 'Repeated: the same message, or its nonce, came before.',
  symbol: "Its symbol isn't one of this strategy's.",
  off: "The strategy's signals were off.",
  closed: 'The symbol had no fresh price.',
  open: 'The strategy had an open signal for this symbol.',
}

/** Why a message became no signal. */
export const voidText = ({ void: why, reason }: ReceivedSignal): string => reason ?? (why ? WHY[why] : '')
