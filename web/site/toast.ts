import { must } from '#kernel/must.ts'
import { TOAST } from '#web/ui/index.ts'
import { write } from './part.ts'

type Kind = 'success' | 'error' | 'info'

let hiding: ReturnType<typeof setTimeout> | undefined

/**
 * The toast of static pages, part of the layout: top right, dismissed after five seconds or by dragging it 80 percent
 * of its width.
 */
export function showToast(kind: Kind, message: string, closeMs: number = TOAST.autoCloseMs): void {
  const toast = document.querySelector<HTMLElement>('[data-toast]')
  if (!toast) return
  toast.dataset.toast = kind
  toast.setAttribute('role', kind === 'error' ? 'alert' : 'status')
  toast.style.translate = ''
  toast.hidden = false
  write(toast, 'message', message)
  clearTimeout(hiding)
  const hide = () => {
    toast.hidden = true
  }
  hiding = setTimeout(hide, closeMs)
  must(toast.querySelector('button')).onclick = hide
  toast.onpointerdown = ({ clientX: from, pointerId, target }) => {
    if ((target as Element).closest('button')) return
    toast.setPointerCapture(pointerId)
    toast.onpointermove = ({ clientX }) => {
      toast.style.translate = `${clientX - from}px`
    }
    toast.onpointerup = ({ clientX }) => {
      toast.onpointermove = null
      toast.style.translate = ''
      if (Math.abs(clientX - from) >= (toast.offsetWidth * TOAST.draggablePercent) / 100) hide()
    }
  }
}
