import { CircleAlert, CircleCheck, Info } from 'lucide-react'
import { createRoot } from 'react-dom/client'
import { ToastContainer, toast } from 'react-toastify/unstyled'
import 'react-toastify/ReactToastify.css'
import './toaster.css'
import { TOAST } from './constants.ts'

const ICON = { success: CircleCheck, error: CircleAlert, info: Info }

const place = document.createElement('div')
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

export function showToast(kind: keyof typeof ICON, message: string): void {
  const Icon = ICON[kind]
  toast[kind](message, { icon: <Icon aria-hidden />, role: kind === 'error' ? 'alert' : 'status' })
}
