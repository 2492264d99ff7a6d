import { Fact, Facts, formatDateTime, formatPlan, formatUsd } from '#web/ui/index.ts'
import { send } from '../../api.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import { approval, personOf, rejection } from '../screen/item.ts'
import { QueueScreen } from '../screen/queue-screen.tsx'

/** Requests for a higher plan: its price next to the user's balance. */
export default function PlanRequests() {
  return (
    <QueueScreen
      queue="plan-requests"
      line={(request) => ({
        words: `${formatPlan(request.from_plan)} to ${formatPlan(request.plan)}`,
        figure: formatUsd(request.price),
      })}
      detail={(request) => (
        <Facts>
          <PersonFact {...request} />
          <Fact name="From">{formatPlan(request.from_plan)}</Fact>
          <Fact name="To">{formatPlan(request.plan)}</Fact>
          <Fact name="Price">{formatUsd(request.price)}</Fact>
          {request.status === 'Pending' && (
            <Fact name="Real balance">
              {formatUsd(request.balance)}
              {request.balance < request.price && ' (not enough)'}
            </Fact>
          )}
          <Fact name="Requested">{formatDateTime(request.created_at)}</Fact>
          {request.decided_at && <Fact name="Decided">{formatDateTime(request.decided_at)}</Fact>}
          {request.reason && <Fact name="Reason">{request.reason}</Fact>}
        </Facts>
      )}
      actions={(request) =>
        request.status !== 'Pending'
          ? []
          : [
              approval(
                `the ${formatPlan(request.plan)} plan for ${personOf(request)}, ${formatUsd(request.price)}`,
                async () => {
                  await send('POST /desk/plan-requests/:id/approve', { params: { id: request.id } })
                  return `${request.email} now has the ${formatPlan(request.plan)} plan.`
                },
              ),
              rejection(async (reason) => {
                await send('POST /desk/plan-requests/:id/reject', { params: { id: request.id }, body: { reason } })
                return `The request of ${request.email} was rejected.`
              }, 'The trader sees this.'),
            ]
      }
    />
  )
}
