import { useState } from 'react'
import type { Withdrawal, WithdrawalPreview } from '#contract/money/cashier.ts'
import { noteOwnAction, useKey, useRequest } from '#web/api/index.ts'

interface Calls<Body> {
  preview: (body: Body) => Promise<{ data: WithdrawalPreview }>
  request: (body: Body, key: string) => Promise<{ message: string; data: Withdrawal }>
  /** Marks the fields that the server refused. */
  refuse: (message: string, error: unknown) => void
  onRequested: (message: string, withdrawal: Withdrawal) => void
}

/** A withdrawal in two steps: the server previews it, and only what was reviewed is requested. */
export function useWithdrawal<Body>({ preview, request, refuse, onRequested }: Calls<Body>) {
  const [reviewed, setReviewed] = useState<{ body: Body; preview: WithdrawalPreview }>()
  const asking = useRequest(refuse)
  const requesting = useRequest()
  const keyFor = useKey()
  return {
    asking,
    ask: (body: Body) => asking.run(async () => setReviewed({ body, preview: (await preview(body)).data })),
    review: reviewed && {
      ...reviewed,
      loading: requesting.loading,
      error: requesting.error,
      onBack: () => setReviewed(undefined),
      onConfirm: () =>
        requesting.run(async () => {
          noteOwnAction('withdraw')
          const { message, data } = await request(reviewed.body, keyFor(reviewed.body))
          onRequested(message, data)
        }),
    },
  }
}
