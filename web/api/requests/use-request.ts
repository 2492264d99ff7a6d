import { useRef, useState } from 'react'
import { messageOf, refusedFields } from '#web/client/index.ts'
import { refusalOf } from '#web/ui/index.ts'

/**
 * The state of a request made by a form or button: `loading`, and the `error` message to show. A second `run` while the
 * first is in flight is ignored. `onError` also receives failures: for toasts, error codes, and a form that marks the
 * fields that the server refused (`refuse` of `useRules`). `errorOf` is what it refused of a field.
 */
export function useRequest(onError?: (message: string, error: unknown) => void) {
  const [state, setState] = useState<{ loading: boolean; error: string | undefined; refused?: Record<string, string> }>(
    {
      loading: false,
      error: undefined,
    },
  )
  const running = useRef(false)

  async function run(request: () => Promise<void>): Promise<void> {
    if (running.current) return
    running.current = true
    setState({ loading: true, error: undefined })
    try {
      await request()
      setState({ loading: false, error: undefined })
    } catch (error) {
      const message = messageOf(error)
      setState({ loading: false, error: message, refused: refusedFields(error) })
      onError?.(message, error)
    } finally {
      running.current = false
    }
  }

  return {
    loading: state.loading,
    error: state.error,
    errorOf: (field: string) => refusalOf(state.refused, field),
    run,
    fail: (error: string) => setState({ loading: false, error }),
  }
}
