import type { webPushCalls } from '#contract/messages/web-push.ts'
import { Problem } from '#contract/problem.ts'
import { type Db, inTransaction } from '../platform/database/db.ts'
import type { Handlers } from '../platform/http/index.ts'
import type { openPushOutbox } from './outbox.ts'
import type { PushKey } from './push-key.ts'
import type { PushServices } from './push-service.ts'
import { countSubscriptions, subscribe, unsubscribe } from './subscriptions.ts'

interface WebPushDeps {
  db: Db
  brand: string
  key: PushKey
  services: PushServices
  send: ReturnType<typeof openPushOutbox>
}

/** The routes of `contract/messages/web-push.ts`. */
export function webPushRoutes({ db, brand, key, services, send }: WebPushDeps): Handlers<keyof typeof webPushCalls> {
  return {
    'GET /notices/push': async ({ who }) => ({
      status: true,
      data: { key: key.publicKey, browsers: await countSubscriptions(db, who.userId) },
    }),
    'POST /notices/push': async ({ who, body }) => {
      if (!services.knows(body.endpoint))
        throw new Problem('validation_failed', "We can't send to this browser's push service.")
      await inTransaction(db, (tx) =>
        subscribe(tx, who, {
          endpoint: body.endpoint,
          publicKey: Buffer.from(body.keys.p256dh, 'base64url'),
          authSecret: Buffer.from(body.keys.auth, 'base64url'),
        }),
      )
      return { status: true, message: 'This browser now shows notifications.' }
    },
    'POST /notices/push/end': async ({ who, body }) => {
      await unsubscribe(db, who.userId, body.endpoint)
      return { status: true, message: 'This browser no longer shows notifications.' }
    },
    'POST /notices/push/test': async ({ who }) => {
      const written = await inTransaction(db, (tx) =>
        send(tx, [
          {
            userId: who.userId,
            kind: 'account',
            title: `${brand} notifications work`,
            text: 'This is how an alert arrives while the app is closed.',
            path: '/user/notifications',
          },
        ]),
      )
      if (written === 0)
        throw new Problem('wrong_state', 'No browser of this account shows notifications. Turn them on first.')
      return { status: true, message: 'Sent. It arrives within a few seconds.' }
    },
  }
}
