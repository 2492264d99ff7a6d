import { useQuery } from '@tanstack/react-query'
import type { Mode } from '#contract/terms.ts'
import type { WaitingOrder, WaitingOrderBody } from '#contract/trading/waiting.ts'
import { call, queryClient, queryOf, useUserMessages } from '#web/api/index.ts'

const queryIn = (mode: Mode) => queryOf('GET /waiting-orders', { query: { mode } })

const readAgain = (): void => void queryClient.invalidateQueries({ queryKey: ['GET /waiting-orders'] })

/** Shows what a call has returned at once; what else is new is read. */
function show(mode: Mode, change: (orders: readonly WaitingOrder[]) => WaitingOrder[]): void {
  queryClient.setQueryData(queryIn(mode).queryKey, (known) => ({
    status: true as const,
    data: change(known?.data ?? []),
  }))
  readAgain()
}

export async function placeWaiting(body: WaitingOrderBody, key: string): Promise<WaitingOrder> {
  const { data } = await call('POST /waiting-orders', { body, key })
  show(data.mode, (orders) => [data, ...orders.filter(({ id }) => id !== data.id)])
  return data
}

export async function moveWaiting(id: string, level: string): Promise<void> {
  const { data } = await call('PUT /waiting-orders/:id', { params: { id }, body: { level } })
  show(data.mode, (orders) => orders.map((one) => (one.id === id ? data : one)))
}

export async function cancelWaiting({ id, mode }: WaitingOrder): Promise<void> {
  await call('DELETE /waiting-orders/:id', { params: { id } })
  show(mode, (orders) => orders.filter((one) => one.id !== id))
}

const NONE: readonly WaitingOrder[] = []

/** The orders of a mode that wait, and those that ended last: read if `isWanted` or known already, and again when one ends. */
export function useWaiting(mode: Mode, isWanted: boolean): readonly WaitingOrder[] {
  useUserMessages((message) => {
    if (message.op === 'notice' && message.data.kind === 'order') readAgain()
  }, readAgain)
  const query = queryIn(mode)
  const { data } = useQuery({ ...query, enabled: isWanted || queryClient.getQueryData(query.queryKey) !== undefined })
  return data?.data ?? NONE
}
