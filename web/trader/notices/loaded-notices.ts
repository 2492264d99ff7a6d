import type { Notice } from '#contract/messages/notices.ts'

/** The loaded notices: the newest ones, and the total number of unread ones. */
interface Known {
  data: readonly Notice[]
  unread: number
}

/** Adds a new notice; a known one changes nothing. */
export function withNotice<T extends Known>(known: T, notice: Notice): T {
  if (known.data.some((one) => one.id === notice.id)) return known
  return { ...known, data: [notice, ...known.data], unread: known.unread + (notice.read ? 0 : 1) }
}

/** Marks everything as read. */
export const allRead = <T extends Known>(known: T): T => ({
  ...known,
  data: known.data.map((notice) => (notice.read ? notice : { ...notice, read: true })),
  unread: 0,
})

/** Returns the number on the bell: two digits at most. */
export const countWord = (unread: number): string => (unread > 99 ? '99+' : String(unread))
