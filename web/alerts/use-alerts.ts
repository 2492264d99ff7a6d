import { useQuery } from '@tanstack/react-query'
import type { Alert, AlertBody } from '#contract/trading/alerts.ts'
import { call, queryClient, queryOf, useUserMessages } from '#web/api/index.ts'

const QUERY = queryOf('GET /alerts')

const readAgain = (): void => void queryClient.invalidateQueries({ queryKey: QUERY.queryKey })

/** Shows what a call has returned at once; what else is new is read. */
function show(change: (alerts: readonly Alert[]) => Alert[]): void {
  queryClient.setQueryData(QUERY.queryKey, (known) => known && { ...known, data: change(known.data) })
  readAgain()
}

const withAlert = (alert: Alert) => show((alerts) => [alert, ...alerts.filter(({ id }) => id !== alert.id)])

/** Makes an alert; with `id`, changes that one. Returns it armed. */
export async function saveAlert(body: AlertBody, id?: string): Promise<Alert> {
  const { data } = id ? await call('PUT /alerts/:id', { params: { id }, body }) : await call('POST /alerts', { body })
  // The first one of an account that wasn't read: from here on it is.
  if (!queryClient.getQueryData(QUERY.queryKey))
    queryClient.setQueryData(QUERY.queryKey, { status: true, data: [data] })
  withAlert(data)
  return data
}

export async function armAgain(id: string): Promise<void> {
  withAlert((await call('POST /alerts/:id/arm', { params: { id } })).data)
}

export async function deleteAlert(id: string): Promise<void> {
  await call('DELETE /alerts/:id', { params: { id } })
  show((alerts) => alerts.filter((one) => one.id !== id))
}

/** The trader's alerts, read if `isWanted` or known already, and again when one fires. */
export function useAlerts(isWanted: boolean) {
  useUserMessages((message) => {
    if (message.op === 'notice' && message.data.kind === 'alert') readAgain()
  }, readAgain)
  return useQuery({ ...QUERY, enabled: isWanted || queryClient.getQueryData(QUERY.queryKey) !== undefined })
}
