import type { DepositRequest } from '#contract/money/cashier.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Alert, Button, Card, CardLine, formatCoin, formatPrice, formatTime, formatUsd, toast } from '#web/ui/index.ts'
import { COIN_NAMES } from './coins.ts'
import styles from './deposit.module.css'
import { readOpenRequests } from './use-open-requests.ts'

/** Requests that still await the payment and its receipt; renders nothing if there are none. */
export function OpenRequests({
  requests,
  onContinue,
}: {
  requests: readonly DepositRequest[]
  onContinue: (request: DepositRequest) => void
}) {
  const { loading, error, run } = useRequest()
  if (requests.length === 0) return null
  const cancel = ({ request_id }: DepositRequest) =>
    run(async () => {
      const { message } = await call('POST /deposit/requests/:request_id/cancel', { params: { request_id } })
      toast.success(message)
    }).finally(readOpenRequests)
  return (
    <Card title="Awaiting payment">
      <Alert>{error}</Alert>
      <ul className={styles.requests}>
        {requests.map((request) => (
          <li key={request.request_id} className={styles.request}>
            <CardLine>
              <strong>{formatUsd(request.usd_amount)}</strong>
              <strong>{formatCoin(request.coin_amount, request.currency)}</strong>
            </CardLine>
            <CardLine quiet>
              <span>
                {COIN_NAMES[request.currency]}, {request.request_id}
              </span>
              <span>
                {formatPrice(request.rate)} USD per {request.currency}
              </span>
            </CardLine>
            <p className={styles.note}>{rateText(request)}</p>
            <div className={styles.answers}>
              <Button look="quiet" disabled={loading} onClick={() => void cancel(request)}>
                Cancel this deposit
              </Button>
              <Button onClick={() => onContinue(request)}>Continue</Button>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const rateText = ({ rate_until }: DepositRequest) =>
  Date.parse(rate_until) > Date.now()
    ? `The rate counts for coins that arrive until ${formatTime(rate_until)}. Later ones count at the rate when they arrive.`
    : 'The rate is over: your coins count at the rate when they arrive.'
