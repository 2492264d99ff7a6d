import { LogOut } from 'lucide-react'
import { useState } from 'react'
import { leave, leaveWithoutReturn, queryClient } from '#web/api/index.ts'
import { Button } from '#web/ui/index.ts'

/** Ends the session on the server and in the browser; signs out here even if the server is unreachable. */
export function useSignOut(): { signOutHere: () => void; busy: boolean } {
  const [busy, setBusy] = useState(false)
  const signOutHere = () => {
    setBusy(true)
    void queryClient.cancelQueries()
    leaveWithoutReturn()
    void leave()
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
