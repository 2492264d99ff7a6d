import { randomUUID } from 'node:crypto'
import type { Reply, Trader, WholeApp } from '../servers/app.ts'
import { connectTo } from '../servers/database.ts'

/** What a trader and a reader of their mailboxes do about a change of address. */
export const emailChangeOf = (app: WholeApp) => {
  const post = (path: string, body: object, token?: string): Promise<Reply> =>
    app.send('POST', `/api/auth/${path}`, { body, ...(token === undefined ? {} : { token }) })
  return {
    newAddress: () => `new-${randomUUID().slice(0, 13)}@example.org`,
    request: ({ token, password }: Trader, email: string, more: object = {}) =>
      post('email-change', { email, password, ...more }, token),
    open: async ({ token }: Trader) => (await app.send('GET', '/api/auth/email-change', { token })).json?.data,
    oldHash: ({ email }: Trader) => app.hashFor(email, /Change of your e-mail/),
    newHash: (email: string) => app.hashFor(email, /Confirm your new e-mail/),
    confirm: (hash: string) => post('email-change/confirm', { hash }),
    disown: (hash: string) => post('email-change/disown', { hash }),
    /** Moves an account to another address; returns the trader with it. */
    async change(trader: Trader, email: string): Promise<Trader> {
      const asked = await this.request(trader, email)
      if (asked.status !== 200) throw new Error(asked.text)
      for (const hash of [await this.oldHash(trader), await this.newHash(email)]) {
        const pressed = await this.confirm(hash)
        if (pressed.status !== 200) throw new Error(pressed.text)
      }
      return { ...trader, email }
    },
  }
}

/** Makes a trader's changes of address, pauses and withdrawals older, as the owner of the database: the application can't. */
export async function ageEmailChanges(ownerUrl: string, userId: string, interval: string): Promise<void> {
  const client = await connectTo(ownerUrl)
  try {
    await client.query(`set session_replication_role = 'replica'`)
    await client.query(
      `update email_changes set requested_at = requested_at - $2::interval, expires_at = expires_at - $2::interval,
         ended_at = ended_at - $2::interval where user_id = $1`,
      [userId, interval],
    )
    await client.query(
      `update withdrawal_pauses set started_at = started_at - $2::interval, until = until - $2::interval where user_id = $1`,
      [userId, interval],
    )
    await client.query(
      `update withdrawals set created_at = created_at - $2::interval, processing_at = processing_at - $2::interval,
         ended_at = ended_at - $2::interval where user_id = $1`,
      [userId, interval],
    )
  } finally {
    await client.end()
  }
}
