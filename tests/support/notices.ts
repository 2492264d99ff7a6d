import type { Notice } from '#contract/notices.ts'
import { type Notices, openNotices } from '#server/notices/index.ts'
import { enqueue } from '#server/platform/mail/index.ts'

/** Notices as the server writes them, with a list of what open screens would have heard. */
export function openTestNotices(told: Notice[] = []): Notices {
  return openNotices({
    brand: 'Cleartick',
    publicUrl: () => 'http://localhost:3000',
    mail: { enqueue, wake: () => undefined },
    told: (_userId, notices) => told.push(...notices),
  })
}
