import { RotateCcw } from 'lucide-react'
import { useRef } from 'react'
import { call, newKey, updateUser, useRequest } from '#web/api/index.ts'
import { Button, toast } from '#web/ui/index.ts'

/** Resets the demo balance to 10,000.00. Open trades stay open and still settle. */
export function ResetDemo({ wide, className }: { wide?: boolean; className?: string | undefined }) {
  const key = useRef<string>(undefined)
  const { loading, run } = useRequest((message) => toast.error(message))
  const reset = () =>
    run(async () => {
      // Keep the key until there is a response: a retry is the same reset.
      key.current ??= newKey()
      const { data, message } = await call('POST /trading/demo/reset', { key: key.current })
      key.current = undefined
      updateUser(data)
      toast.success(message)
    })
  return (
    <Button
      look={wide ? 'secondary' : 'quiet'}
      size={wide ? 'medium' : 'small'}
      wide={wide}
      className={className}
      loading={loading}
      onClick={() => void reset()}
    >
      <RotateCcw aria-hidden />
      Reset demo balance
    </Button>
  )
}
