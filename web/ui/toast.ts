type Kind = 'success' | 'error' | 'info'

const load = () => import('./toaster.tsx')

function show(kind: Kind, message: string): void {
  load().then(
    ({ showToast }) => showToast(kind, message),
    () => console.error(message),
  )
}

/** Toasts: top-right, 5000 ms, dragged away at 80 percent. Their code is not part of the first load. */
export const toast = {
  success: (message: string): void => show('success', message),
  error: (message: string): void => show('error', message),
  info: (message: string): void => show('info', message),
  /** Loads the toasts ahead, so that one can say that the server is gone. */
  prepare: (): void => void load().catch(() => undefined),
}
