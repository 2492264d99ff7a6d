import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import { createRoot } from 'react-dom/client'
import { ToastContainer, toast } from 'react-toastify/unstyled'
import 'react-toastify/ReactToastify.css'
import './toaster.css'
import { TOAST } from './constants.ts'

const ICON = { success: CircleCheck, error: CircleAlert, info: Info }

const place = document.createElement('div')
place.className = 'toasts'
// A modal lies above all that is no popover.
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

/** Brings the toasts above a modal that is open; without one they stay, since being moved restarts their time. */
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
  // The same words are not said twice at the same time.
  const toastId = `${kind} ${message}`
  toast[kind](message, { toastId, icon: <Icon aria-hidden />, role: kind === 'error' ? 'alert' : 'status' })
}
