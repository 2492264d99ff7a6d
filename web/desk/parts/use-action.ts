import { useState } from 'react'
import { messageOf } from '#web/client/index.ts'
import { toast } from '#web/ui/index.ts'
import { readAllAgain } from '../api.ts'

/** The state of a running action. Success shows a toast and reloads everything on the screen. */
export function useAction() {
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
