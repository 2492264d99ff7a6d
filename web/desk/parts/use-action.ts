import { useState } from 'react'
import { messageOf, refusedFields } from '#web/client/index.ts'
import { refusalOf, toast } from '#web/ui/index.ts'
import { readAllAgain } from '../api.ts'

/**
 * The state of a running action. Success shows a toast and reloads everything on the screen. `errorOf` is what the server
 * refused of a field; a form with rules takes it by `onError`.
 */
export function useAction(onError?: (message: string, error: unknown) => void) {
  const [state, setState] = useState<{ loading: boolean; error?: string; refused?: Record<string, string> }>({
    loading: false,
  })
  async function act(work: () => Promise<string>): Promise<boolean> {
    if (state.loading) return false
    setState({ loading: true })
    try {
      toast.success(await work())
      setState({ loading: false })
      return true
    } catch (error) {
      setState({ loading: false, error: messageOf(error), refused: refusedFields(error) })
      onError?.(messageOf(error), error)
      return false
    } finally {
      await readAllAgain()
    }
  }
  const errorOf = (field: string) => refusalOf(state.refused, field)
  return { loading: state.loading, error: state.error, errorOf, act }
}
