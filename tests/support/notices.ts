import type { Notice } from '#contract/notices.ts'
import { type Notices, openNotices } from '#server/notices/index.ts'

/** Notices as the server writes them, with a list of what open screens would have received. */
export function openTestNotices(told: Notice[] = []): Notices {
  return openNotices({
    brand: 'Cleartick',
    publicUrl: () => 'http://localhost:3000',
    mail: { wake: () => undefined },
    told: (_userId, notices) => told.push(...notices),
  })
}
