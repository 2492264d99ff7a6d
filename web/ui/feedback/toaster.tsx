import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import { createRoot } from 'react-dom/client'
import { ToastContainer, toast } from 'react-toastify/unstyled'
import 'react-toastify/ReactToastify.css'
import './toaster.css'
import { TOAST } from '../constants.ts'

const ICON = { success: CircleCheck, error: CircleAlert, info: Info }

const place = document.createElement('div')
place.className = 'toasts'
// A modal covers everything except popovers.
place.popover = 'manual'
document.body.append(place)
createRoot(place).render(
  <ToastContainer
    position={TOAST.position}
    autoClose={TOAST.autoCloseMs}
    draggable
    draggablePercent={TOAST.draggablePercent}
    aria-label="Notices"
  />,
)

/**
 * Moves the toasts above an open modal. Without one they stay where they are, because moving them restarts their timer.
 */
function raise(): void {
  if (place.matches(':popover-open')) {
    if (!document.querySelector('dialog[open]')) return
    place.hidePopover()
  }
  place.showPopover()
}

export function showToast(kind: keyof typeof ICON, message: string): void {
  raise()
  const Icon = ICON[kind]
  // Don't show the same message twice at the same time.
  const toastId = `${kind} ${message}`
  toast[kind](message, { toastId, icon: <Icon aria-hidden />, role: kind === 'error' ? 'alert' : 'status' })
}
