import { spawn } from 'node:child_process'
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { postgresUser } from '#server/platform/postgres/user.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { REDIS_PROGRAM } from '#tests/support/outside/redis.ts'
import { startSmtp } from '#tests/support/outside/smtp.ts'
import { type Certificate, makeCertificate, tlsInFrontOf } from '#tests/support/outside/tls.ts'
import { registration } from '#tests/support/people/identity.ts'
import { call, dataFolder, launch, startServer } from '#tests/support/servers/server.ts'
import { startPrimary } from '#tests/support/servers/standby.ts'

/** Copies the key for PostgreSQL, which rejects a key that others can read. */
function forPostgres(folder: string, { certFile, keyFile }: Certificate): Record<string, string> {
  const runAs = postgresUser()
  const files = [join(folder, 'postgres.crt'), join(folder, 'postgres.key')] as const
  copyFileSync(certFile, files[0])
  copyFileSync(keyFile, files[1])
  for (const file of files) {
    chmodSync(file, 0o600)
    if (runAs) chownSync(file, runAs.uid, runAs.gid)
  }
  return { ssl: 'on', ssl_cert_file: files[0], ssl_key_file: files[1] }
}

async function startRedis(): Promise<number | undefined> {
  if (REDIS_PROGRAM === undefined) return undefined
  const port = (await freePort(0))!
  const child = spawn(REDIS_PROGRAM, ['--port', String(port), '--save', ''], { cwd: dataFolder(), stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  return port
}

test('connects to PostgreSQL, Redis, the bucket and the mail server over TLS and verifies certificates', async () => {
  const folder = dataFolder()
  const ours = makeCertificate(folder)
  const strange = join(folder, 'strange')
  mkdirSync(strange)
  const foreign = makeCertificate(strange)
  const primary = await startPrimary(folder, forPostgres(folder, ours))
  onTestFinished(() => primary.kill())
  const [smtp, bucket] = [await startSmtp(), await bucketServer(join(folder, 'bucket'))]
  onTestFinished(async () => {
    await smtp.stop()
    await bucket.close()
  })
  const redis = await startRedis()
  const fronts = {
    mail: await tlsInFrontOf(Number(new URL(smtp.url).port), ours),
    bucket: await tlsInFrontOf(bucket.port, ours),
    redis: await tlsInFrontOf(redis ?? 1, ours),
  }
  const database = (url: string, ca: string) =>
    `${url.replace('127.0.0.1', 'localhost')}?sslmode=verify-full&sslrootcert=${ca}`
  const settings = (ca: string): Record<string, string> => ({
    DATABASE_URL: database(primary.urls.owner, ca),
    DATABASE_APP_URL: database(primary.urls.app, ca),
    FILES_URL: bucket.url
      .replace('s3+http', 's3+https')
      .replace(`127.0.0.1:${bucket.port}`, `localhost:${fronts.bucket.port}`),
    SMTP_URL: `smtps://localhost:${fronts.mail.port}`,
    MAIL_FROM: 'no-reply@example.org',
    ...(redis === undefined ? {} : { REDIS_URL: `rediss://localhost:${fronts.redis.port}` }),
    NODE_EXTRA_CA_CERTS: ca,
  })

  const server = await startServer(join(folder, 'data'), settings(ours.certFile))
  onTestFinished(() => server.end('SIGTERM').then(() => undefined))
  await expect.poll(async () => (await call(server, 'GET', '/ready')).status, { timeout: 20_000 }).toBe(200)
  const sessions = await primary.ask<{ ssl: boolean }>(
    `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name like 'cleartick%'`,
  )
  expect(sessions.length).toBeGreaterThan(5)
  expect(sessions.every(({ ssl }) => ssl)).toBe(true)
  expect((await call(server, 'POST', '/auth/register', { body: registration() })).status).toBe(200)
  await expect.poll(() => smtp.received.length, { timeout: 20_000 }).toBeGreaterThan(0)
  const doctor = launch('ops/commands/doctor-command.ts', {
    DATA_DIR: join(folder, 'data'),
    ...settings(ours.certFile),
  })
  await doctor.ended
  expect(doctor.output()).toMatch(/^ok +mail/m)
  expect(doctor.output()).toMatch(/^ok +storage/m)
  if (redis !== undefined) expect(fronts.redis.handshakes()).toBeGreaterThan(0)

  // A man in the middle has a certificate from another authority.
  const fooled = launch('ops/commands/doctor-command.ts', {
    DATA_DIR: join(folder, 'data'),
    ...settings(foreign.certFile),
  })
  expect(await fooled.ended).toBe(1)
  expect(fooled.output()).toMatch(/certificate/)
  const { DATABASE_URL, DATABASE_APP_URL } = settings(ours.certFile)
  const half = { ...settings(foreign.certFile), DATABASE_URL: DATABASE_URL!, DATABASE_APP_URL: DATABASE_APP_URL! }
  const partly = launch('ops/commands/doctor-command.ts', { DATA_DIR: join(folder, 'data'), ...half })
  await partly.ended
  expect(partly.output()).toMatch(/^ok +database/m)
  expect(partly.output()).toMatch(/^PROBLEM +mail .*certificate/m)
  expect(partly.output()).toMatch(/^PROBLEM +storage/m)
})
