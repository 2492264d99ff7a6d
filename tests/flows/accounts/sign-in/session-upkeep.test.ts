import { afterAll, expect, test } from 'vitest'
import { removeDeadSessions, startSessions } from '#server/identity/index.ts'
import { openBus } from '#server/platform/bus/index.ts'
import { sql } from '#server/platform/database/db.ts'
import { createLog } from '#server/platform/process/log.ts'
import { startIdentity, storedHash } from '#tests/support/people/identity.ts'

const lines: { msg: string; user?: string }[] = []
const { app, me, refresh } = await startIdentity({
  log: createLog('warn', { write: (line: string) => void lines.push(JSON.parse(line)) }),
})
afterAll(app.stop)
const log = createLog('silent')

test('deletes expired data once no one can use or list it', async () => {
  const user = await app.newUser()
  const signIn = async (ended: string | null, expires: string) => {
    const { renewal } = await app.signIn(user)
    const { session_id: id } = await app.db
      .selectFrom('session_tokens')
      .select('session_id')
      .where('renewal_hash', '=', storedHash(renewal))
      .executeTakeFirstOrThrow()
    await sql`update sessions set expires_at = now() + ${expires}::interval, ended_at = now() + ${ended}::interval,
      end_reason = ${ended && 'signed_out'} where id = ${id}`.execute(app.db)
    return id
  }
  const ended91 = await signIn('-91 days', '1 day')
  const ended89 = await signIn('-89 days', '1 day')
  const endedToday = await signIn('-23 hours', '1 day')
  await signIn(null, '-91 days')
  const expired2 = await signIn(null, '-2 days')
  const active = await signIn(null, '1 day')
  const { user_id: userId } = await app.db
    .selectFrom('sessions')
    .select('user_id')
    .where('id', '=', active)
    .executeTakeFirstOrThrow()

  const expire = async (days: number[], table: 'one_time_tokens' | 'passkey_challenges') => {
    for (const day of days) {
      const at = sql`now() + make_interval(days => ${day})`
      if (table === 'passkey_challenges')
        await sql`insert into passkey_challenges (challenge, user_id, purpose, expires_at)
          values (${`${day}`}, ${userId}, 'sign_in', ${at})`.execute(app.db)
      else
        await sql`insert into one_time_tokens (hash, purpose, user_id, expires_at)
          values (${storedHash(`${day}`)}, 'reset_password', ${userId}, ${at})`.execute(app.db)
    }
  }
  await sql`delete from one_time_tokens`.execute(app.db)
  await expire([-8, -6, 1], 'one_time_tokens')
  await expire([-1, 1], 'passkey_challenges')

  const node = startSessions({ db: app.db, log, bus: await openBus(log) })
  try {
    const ids = async (table: 'sessions' | 'session_tokens') => {
      const { rows } = await sql<{ id: bigint }>`
        select distinct ${sql.ref(table === 'sessions' ? 'id' : 'session_id')} as id from ${sql.table(table)}
        where ${sql.ref(table === 'sessions' ? 'id' : 'session_id')} >= ${ended91}::bigint order by id`.execute(app.db)
      return rows.map(({ id }) => id)
    }
    // They are deleted last.
    const challenges = () => app.db.selectFrom('passkey_challenges').select('challenge').execute()
    await expect.poll(challenges).toEqual([{ challenge: '1' }])
    await removeDeadSessions(app.db, 90)
    expect(await ids('sessions')).toEqual([ended89, endedToday, expired2, active])
    expect(await ids('session_tokens')).toEqual([endedToday, active])
    const tokens = await app.db.selectFrom('one_time_tokens').select('hash').orderBy('expires_at').execute()
    expect(tokens.map(({ hash }) => hash.toString('hex'))).toEqual(
      [-6, 1].map((day) => storedHash(`${day}`).toString('hex')),
    )
  } finally {
    await node.stop()
  }
})

test('records the time of the last request for active sessions that were used', async () => {
  const told: (readonly bigint[])[] = []
  const ended = (sessionIds: readonly bigint[]) => void told.push(sessionIds)
  const node = startSessions({ db: app.db, log, bus: await openBus(log), readEveryMs: 20, noteSeenEveryMs: 100, ended })
  try {
    const people = await Promise.all([1, 2, 3].map(async () => app.signIn(await app.newUser())))
    const [used, left] = people
    const ids = await Promise.all(
      people.map(async ({ user }) => {
        const ofUser = app.db.selectFrom('sessions').select('id').where('user_id', '=', BigInt(user.id))
        return (await ofUser.executeTakeFirstOrThrow()).id
      }),
    )
    const longAgo = new Date('2026-01-01')
    const forget = () => app.db.updateTable('sessions').set({ last_seen_at: longAgo }).where('id', 'in', ids).execute()
    const lastSeen = async (at: number) =>
      (await app.db.selectFrom('sessions').select('last_seen_at').where('id', '=', ids[at]!).executeTakeFirstOrThrow())
        .last_seen_at
    await forget()
    for (const { token } of people) await node.authenticate(token)
    for (const at of [0, 1, 2])
      await expect.poll(async () => (await lastSeen(at)).getTime()).toBeGreaterThan(longAgo.getTime())
    // Nothing is left to record now.
    await forget()
    await app.db
      .updateTable('sessions')
      .set({ ended_at: new Date(), end_reason: 'signed_out' })
      .where('id', '=', ids[1]!)
      .execute()
    await node.authenticate(used!.token)
    await expect.poll(async () => (await lastSeen(0)).getTime()).toBeGreaterThan(longAgo.getTime())
    expect(await Promise.all([1, 2].map(lastSeen))).toEqual([longAgo, longAgo])
    expect((await me(used!.token)).status).toBe(200)
    expect((await refresh(left!.renewal)).status).toBe(401)
    // Polls that find nothing report nothing.
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter((sessionIds) => sessionIds.length === 0)).toEqual([])
  } finally {
    await node.stop()
  }
})

test('a request fails if it cannot query ended sessions, and the next one queries again', async () => {
  let fails = false
  const failing = app.db.withPlugin({
    transformQuery: ({ node }) => {
      if (fails) throw new Error('no database')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const node = startSessions({
    db: failing as unknown as typeof app.db,
    log,
    bus: await openBus(log),
    readEveryMs: 60_000,
  })
  try {
    const { token } = await app.signIn(await app.newUser())
    await expect.poll(() => node.authenticate(token)).toBeDefined()
    await new Promise((resolve) => setTimeout(resolve, 950))
    fails = true
    await expect(node.authenticate(token)).rejects.toThrow('no database')
    fails = false
    expect(await node.authenticate(token)).toBeDefined()
  } finally {
    await node.stop()
  }
})

test('logs the reuse of a renewal token with its user', async () => {
  const { renewal, user } = await app.signIn(await app.newUser())
  await refresh((await refresh(renewal)).cookie!.value)
  expect(lines).toEqual([])
  expect((await refresh(renewal)).status).toBe(401)
  expect(lines).toMatchObject([{ msg: 'a renewal token was reused: its session was ended', user: user.id }])
})
