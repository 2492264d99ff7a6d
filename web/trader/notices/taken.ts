import type { Notice } from '#contract/notices.ts'

/** What is known of the notices: the newest of them, and how many of all are unread. */
export interface Known {
  data: readonly Notice[]
  unread: number
}

/** With a notice that just came; one that is known already changes nothing. */
export function withNotice<T extends Known>(known: T, notice: Notice): T {
  if (known.data.some((one) => one.id === notice.id)) return known
  return { ...known, data: [notice, ...known.data], unread: known.unread + (notice.read ? 0 : 1) }
}

/** After everything was read. */
export const allRead = <T extends Known>(known: T): T => ({
  ...known,
  data: known.data.map((notice) => (notice.read ? notice : { ...notice, read: true })),
  unread: 0,
})

/** The number on the bell: two digits at most. */
export const countWord = (unread: number): string => (unread > 99 ? '99+' : String(unread))
