/** A message that the next page shows once when it loads; it travels in session storage. */
export interface Notice {
  kind: 'success' | 'error' | 'info'
  message: string
}

const KEY = 'notice'

export const leaveNotice = (notice: Notice): void => sessionStorage.setItem(KEY, JSON.stringify(notice))

export function takeNotice(): Notice | undefined {
  const text = sessionStorage.getItem(KEY)
  sessionStorage.removeItem(KEY)
  try {
    const notice: unknown = JSON.parse(text ?? 'null')
    const { kind, message } = notice as Notice
    return (kind === 'success' || kind === 'error' || kind === 'info') && typeof message === 'string'
      ? { kind, message }
      : undefined
  } catch {
    return undefined
  }
}
