import { connect, createServer, type Socket } from 'node:net'
import { expect, inject, onTestFinished, test } from 'vitest'
import { connectTo, testDatabase } from '#tests/support/servers/database.ts'
import { migrate, waitForSchema } from '../database/migrate.ts'
import { StartProblem } from '../process/start-problem.ts'
import { externalUrls, withDatabase } from './provision.ts'
import { refuseOtherServer } from './version.ts'

/** A proxy to PostgreSQL that reports another version, of the same length. */
async function asVersion(url: string, version: string): Promise<string> {
  const { server_version: real } = (await query<{ server_version: string }>('show server_version'))[0]!
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => [client, upstream].map((one) => one.destroy()))
    }
    client.pipe(upstream)
    upstream.on('data', (bytes: Buffer) => {
      client.write(Buffer.from(bytes.toString('latin1').replaceAll(real, version.padEnd(real.length)), 'latin1'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const through = new URL(url)
  through.port = String((server.address() as { port: number }).port)
  return through.href
}

async function query<Row>(text: string): Promise<Row[]> {
  const client = await connectTo(inject('superUrl'))
  try {
    return (await client.query(text)).rows as Row[]
  } finally {
    await client.end()
  }
}

test.each(['17.5', '19.0'])('a start and a migration refuse PostgreSQL %s, and change nothing', async (version) => {
  const { superUrl, appUrl } = await testDatabase()
  const empty = `empty_${process.pid}_${version.slice(0, 2)}`
  await query(`create database ${empty}`)
  onTestFinished(async () => {
    await query(`drop database ${empty} with (force)`)
  })
  const [owner, app] = [await asVersion(withDatabase(superUrl, empty), version), await asVersion(appUrl, version)]
  for (const run of [externalUrls, migrate, () => waitForSchema(app, () => undefined)]) {
    const error = await run(owner).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(StartProblem)
    expect((error as StartProblem).message).toMatch(`runs PostgreSQL ${version}`)
    expect((error as StartProblem).message).toMatch(', but Cleartick needs 18. Nothing was changed.\nUpgrade')
  }
  expect(await query(`select from pg_roles where rolname = 'cleartick_server_${empty}'`)).toEqual([])
  const client = await connectTo(withDatabase(superUrl, empty))
  expect((await client.query("select relname from pg_class where relname = 'migrations'")).rows).toEqual([])
  await client.end()
})

test('takes the built-in version', async () => {
  const client = await connectTo(inject('superUrl'))
  await refuseOtherServer(client)
  await client.end()
})
