import { Alert } from '#web/ui/index.ts'
import { useRequirements } from './use-requirements.ts'

const WAYS = { card: 'card', BTC: 'Bitcoin', ETH: 'Ethereum' } as const

/** Explains that money is returned by the method it came from, if this trader never deposited by this method. */
export function MethodNote({ to }: { to: 'bank' | 'BTC' | 'ETH' | undefined }) {
  const came = useRequirements()?.came_by ?? []
  if (to === undefined || came.length === 0 || came.some((way) => way === to || (to === 'bank' && way === 'card')))
    return null
  const ways = came.map((way) => WAYS[way]).join(' and ')
  return (
    <Alert kind="warning">
      You deposited by {ways}, and we pay out by the same method. A withdrawal{' '}
      {to === 'bank' ? 'to a bank' : `in ${WAYS[to]}`} needs an extra check and may be rejected.
    </Alert>
  )
}
