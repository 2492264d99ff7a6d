import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { call, leaveWithoutReturn, queryClient, signOut } from '#web/api/index.ts'
import { Button } from '#web/ui/index.ts'

/** Ends the session on the server and in the browser; signs out here even if the server is unreachable. */
export function useSignOut(): { signOutHere: () => void; busy: boolean } {
  const [busy, setBusy] = useState(false)
  const signOutHere = () => {
    setBusy(true)
    // Requests in flight would get a 401 and trigger a renewal.
    void queryClient.cancelQueries()
    call('POST /auth/logout')
      .catch(() => undefined)
      .finally(() => {
        leaveWithoutReturn()
        signOut()
      })
  }
  return { signOutHere, busy }
}

export function SignOutButton({ className }: { className?: string }) {
  const { signOutHere, busy } = useSignOut()
  return (
    <Button
      className={className}
      look="quiet"
      icon
      aria-label="Logout"
      title="Logout"
      loading={busy}
      onClick={signOutHere}
    >
      <LogOut aria-hidden />
    </Button>
  )
}
