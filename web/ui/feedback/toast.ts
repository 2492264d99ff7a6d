type Kind = 'success' | 'error' | 'info'

const load = () => import('./toaster.tsx')

function show(kind: Kind, message: string): void {
  load().then(
    ({ showToast }) => showToast(kind, message),
    () => console.error(message),
  )
}

/** Toasts: top right, 5000 ms, dismissed by dragging 80 percent. Their code is not part of the first load. */
export const toast = {
  success: (message: string): void => show('success', message),
  error: (message: string): void => show('error', message),
  info: (message: string): void => show('info', message),
  /** Preloads the toasts, so that one can still be shown when the server is unreachable. */
  prepare: (): void => void load().catch(() => undefined),
}
