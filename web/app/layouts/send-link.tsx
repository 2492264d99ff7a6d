import { call, useRequest } from '#web/api/index.ts'
import { Button, toast } from '#web/ui/index.ts'

/** Requests another confirmation link. */
export function SendLink() {
  const { loading, run } = useRequest((message) => toast.error(message))
  const send = () => run(async () => toast.success((await call('GET /auth/verify-email')).message))
  return (
    <Button look="secondary" size="small" loading={loading} onClick={() => void send()}>
      Send Link
    </Button>
  )
}
