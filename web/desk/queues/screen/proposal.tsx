import type { ReactNode } from 'react'
import { PAGES, QUEUES, type Queue } from '#contract/desk/terms.ts'
import type { OperatorRole } from '#contract/terms.ts'
import { Fact, Facts, formatDateTime } from '#web/ui/index.ts'
import { PersonFact } from '../../parts/person-fact.tsx'
import { type Action, approval, rejection } from './item.ts'
import { ItemActions } from './item-actions.tsx'
import { QueueScreen } from './queue-screen.tsx'
import type { ItemOf, QueueScreenProps } from './queue-terms.ts'
import { SecondOperator } from './second-operator.tsx'

type ProposedQueue = { [Q in Queue]: (typeof QUEUES)[Q]['work'] extends 'proposed' ? Q : never }[Queue]

/** A proposal, as every kind of them returns it. */
interface Proposal {
  user_id: string | null
  email: string
  reason: string
  status: string
  proposed_by: { operator_id: string; email: string }
  created_at: string
  decided_by: { email: string } | null
  decided_at?: string | undefined
  decision_reason?: string | undefined
}

/** The contract gives every proposal these fields; the compiler can't see it for a queue that isn't known. */
const proposalOf = (item: unknown) => item as Proposal

/** How a proposal is decided. `approved` and `rejected` are the messages of success. */
interface Decision {
  /** What the second look says about it: `the key`. */
  what: string
  approve: (acknowledged?: string) => Promise<unknown>
  /** What the second person must write to approve it; without it, a second look is enough. */
  acknowledges?: string
  approved: string
  reject: (reason: string) => Promise<unknown>
  rejected: string
}

const actionsOf = ({ what, approve, acknowledges, approved, reject, rejected }: Decision): Action[] => [
  acknowledges === undefined
    ? approval(what, async () => {
        await approve()
        return approved
      })
    : {
        ...approval(what, async (acknowledged) => {
          await approve(acknowledged)
          return approved
        }),
        asks: { label: acknowledges, kind: 'long' },
      },
  rejection(async (reason) => {
    await reject(reason)
    return rejected
  }),
]

interface ProposalScreenProps<Q extends ProposedQueue> extends Pick<QueueScreenProps<Q>, 'line'> {
  queue: Q
  /** The proposed change. */
  facts?: (item: ItemOf<Q>) => ReactNode
  /** The roles that may decide it, where not all that act on the queue may. */
  decidedBy?: (item: ItemOf<Q>) => readonly OperatorRole[]
  /** What happened after the decision. */
  outcome?: (item: ItemOf<Q>) => ReactNode
  decision: (item: ItemOf<Q>) => Omit<Decision, 'what'>
}

/** A queue of proposals: one operator proposes on the item's own page, another decides here. */
export function ProposalScreen<Q extends ProposedQueue>({
  queue,
  line,
  facts,
  decidedBy,
  outcome,
  decision,
}: ProposalScreenProps<Q>) {
  return (
    <QueueScreen<Q>
      queue={queue}
      line={line}
      blocked={(item, me) => (proposalOf(item).proposed_by.operator_id === me ? YOURS : undefined)}
      detail={(item) => (
        <>
          {proposalOf(item).status === 'Pending' && (
            <SecondOperator
              roles={decidedBy?.(item) ?? QUEUES[queue].acts}
              by={proposalOf(item).proposed_by.operator_id}
            />
          )}
          <Facts>
            {proposalOf(item).user_id !== null && <PersonFact {...proposalOf(item)} />}
            {facts?.(item)}
            <ProposalFacts proposal={proposalOf(item)} />
            {outcome?.(item)}
          </Facts>
        </>
      )}
      actions={(item) =>
        proposalOf(item).status === 'Pending'
          ? actionsOf({ what: whatOf(queue, line(item), item), ...decision(item) })
          : []
      }
    />
  )
}

/** Names a proposal for the second look: `the reversal of $50.00 for ada@example.org`. */
function whatOf(queue: ProposedQueue, { figure }: { figure?: ReactNode }, item: unknown): string {
  const { email, name } = item as { email?: string; name?: string }
  const person = email || name
  return [
    `the ${QUEUES[queue].of}`,
    typeof figure === 'string' ? ` of ${figure}` : '',
    person ? ` for ${person}` : '',
  ].join('')
}

const YOURS = 'You proposed this. Ask another operator to decide.'

function ProposalFacts({ proposal }: { proposal: Proposal }) {
  const { reason, status, proposed_by, created_at, decided_by, decided_at, decision_reason } = proposal
  return (
    <>
      <Fact name="Why">{reason}</Fact>
      <Fact name="Proposed">
        {proposed_by.email}, {formatDateTime(created_at)}
      </Fact>
      {decided_by && (
        <Fact name={status === 'Rejected' ? 'Rejected' : 'Approved'}>
          {decided_by.email}
          {decided_at && `, ${formatDateTime(decided_at)}`}
        </Fact>
      )}
      {decision_reason && <Fact name="Reason">{decision_reason}</Fact>}
    </>
  )
}

interface AdminDecisionProps {
  may: boolean
  own: boolean
  /** The operator who proposed it. */
  by: string
  decision: Decision
}

/** Decides a proposal that an admin made, on the card that shows it. */
export function AdminDecision({ may, own, by, decision }: AdminDecisionProps) {
  return (
    <>
      <SecondOperator roles={PAGES.operators.acts} by={by} />
      <ItemActions
        blocked={
          !may ? 'Only an admin can decide this.' : own ? 'You proposed this. Ask another admin to decide.' : undefined
        }
        actions={actionsOf(decision)}
      />
    </>
  )
}
