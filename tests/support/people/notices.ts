import type { Notice } from '#contract/messages/notices.ts'
import { addressesOf } from '#server/identity/index.ts'
import { type Notices, openNotices } from '#server/notices/index.ts'
import type { Tx } from '#server/platform/database/db.ts'
import { openOutbox } from '#server/platform/mail/index.ts'
import type { Push, UserNews } from '#server/platform/sockets/push.ts'

/** Returns a push without sockets: after each commit, `news` has what open screens would have received. */
export function testPush(news: UserNews[] = []): Pick<Push, 'afterCommit'> {
  return { afterCommit: (tx: Tx, _userId, item) => tx.afterCommit(() => void news.push(item)) }
}

/** Opens notices like the server's, with a list of what open screens would have received. */
export function openTestNotices(
  pushed: Notice[] = [],
  more: Pick<Parameters<typeof openNotices>[0], 'webPush'> = {},
): Notices {
  return openNotices({
    brand: 'Cleartick',
    publicUrl: () => 'http://localhost:3000',
    mail: openOutbox(() => undefined),
    addressesOf,
    ...more,
    push: {
      afterCommit: (tx, _userId, item) =>
        tx.afterCommit(() => {
          if (item.op === 'notice') pushed.push(item.data)
        }),
    },
  })
}
