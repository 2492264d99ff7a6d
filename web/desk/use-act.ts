import { useState } from 'react'
import { messageOf } from '#web/api/client.ts'
import { toast } from '#web/ui/index.ts'
import { readAllAgain } from './api.ts'

/** The state of something that is being done; its words of success are a toast, and all that is shown is read again. */
export function useAct() {
  const [state, setState] = useState<{ loading: boolean; error?: string }>({ loading: false })
  async function act(work: () => Promise<string>): Promise<boolean> {
    if (state.loading) return false
    setState({ loading: true })
    try {
      toast.success(await work())
      setState({ loading: false })
      return true
    } catch (error) {
      setState({ loading: false, error: messageOf(error) })
      return false
    } finally {
      await readAllAgain()
    }
  }
  return { ...state, act }
}
