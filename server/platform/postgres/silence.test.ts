import { afterAll, beforeAll, test } from 'vitest'
import { connectTo, poolTo } from '#server/platform/database/primary.ts'
import { createTestDatabase, type TestDatabase } from '#tests/support/servers/database.ts'
import { type TcpProxy, tcpProxy } from '#tests/support/servers/tcp-proxy.ts'

let database: TestDatabase
const proxies: TcpProxy[] = []
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  await database.drop()
})

/** A proxy in front of the database, and the address of the database through it. */
async function openProxy(): Promise<{ proxy: TcpProxy; address: string }> {
  const { port } = new URL(database.appUrl)
  const proxy = await tcpProxy(() => Number(port))
  proxies.push(proxy)
  return { proxy, address: database.appUrl.replace(`:${port}/`, `:${proxy.port}/`) }
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: { code?: string }) => error.code,
  )

test.concurrent('a server that falls silent fails its statements, listeners and new connections, until it answers', async ({
  expect,
  onTestFinished,
}) => {
  const { proxy, address } = await openProxy()
  const pool = poolTo(address, { max: 2, connectionTimeoutMillis: 5_000 })
  pool.on('error', () => undefined)
  onTestFinished(() => pool.end())
  const listener = connectTo(address)
  const failure = new Promise<unknown>((resolve) => {
    listener.on('error', resolve)
  })
  await listener.connect()
  await listener.query('listen news')
  await pool.query('select 1')

  proxy.stall(true)
  const stalledAt = performance.now()
  expect(await failureOf(pool.query('select 2'))).toBe('08006')
  const stalledMs = performance.now() - stalledAt
  expect(await failure).toMatchObject({ code: '08006' })
  const failedAt = performance.now()
  expect(await failureOf(pool.query('select 3'))).toBe('08006')
  // The pool knows by now, and doesn't wait for the server again.
  expect(performance.now() - failedAt).toBeLessThan(stalledMs / 2)

  proxy.stall(false)
  await expect.poll(() => failureOf(pool.query('select 4'))).toBeUndefined()
})

test.concurrent('a statement that takes long, or waits for a lock, is not cut off', async ({
  expect,
  onTestFinished,
}) => {
  const { address } = await openProxy()
  const holder = await database.pool.connect()
  await holder.query('select pg_advisory_lock(1)')
  const through = poolTo(address, { max: 2 })
  onTestFinished(() => through.end())
  const slow = through.query('select pg_sleep(7)')
  const waits = through.query('select pg_advisory_lock(1)')
  expect(await failureOf(slow)).toBeUndefined()
  await holder.query('select pg_advisory_unlock(1)')
  holder.release()
  expect(await failureOf(waits)).toBeUndefined()
})

test.concurrent('a session that the server no longer has fails, though the server answers others', async ({
  expect,
}) => {
  const { proxy, address } = await openProxy()
  const client = connectTo(address)
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  proxy.freeze()
  await database.pool.query('select pg_terminate_backend($1)', [rows[0]!.pid])
  expect(await failureOf(client.query('select 1'))).toBe('08006')
})
