import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link2 } from 'lucide-react'
import { call, queryOf, useRequest } from '#web/api/index.ts'
import { Alert, Button, CopyText } from '#web/ui/index.ts'
import styles from './share-receipt.module.css'

/** Creates a link to the receipt, which shows it to anyone who has it, until the trader stops sharing. */
export function ShareReceipt({ tradeId }: { tradeId: string }) {
  const params = { trade_id: tradeId }
  const query = queryOf('GET /trading/:trade_id/receipt-link', { params })
  const { data } = useQuery(query)
  const cache = useQueryClient()
  const { loading, error, run } = useRequest()
  const link = data?.data
  const share = () =>
    run(async () => {
      const { data } = await call('PUT /trading/:trade_id/receipt-link', { params })
      cache.setQueryData(query.queryKey, { status: true, data })
    })
  const stop = () =>
    run(async () => {
      await call('DELETE /trading/:trade_id/receipt-link', { params })
      cache.setQueryData(query.queryKey, { status: true, data: null })
    })
  return (
    <div className={styles.share}>
      {link ? (
        <>
          <CopyText text={`${location.origin}${link.path}`} what="Link" />
          <div className={styles.line}>
            <p>Anyone with this link sees the receipt: the trade and its amounts, but not your name.</p>
            <Button look="quiet" size="small" loading={loading} onClick={() => void stop()}>
              Stop sharing
            </Button>
          </div>
        </>
      ) : (
        <Button look="secondary" disabled={!data} loading={loading} onClick={() => void share()}>
          <Link2 aria-hidden />
          Share a link
        </Button>
      )}
      <Alert>{error}</Alert>
    </div>
  )
}
