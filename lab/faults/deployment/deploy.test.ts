import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { postgresUser } from '#server/platform/postgres/user.ts'
import { scrape } from '#tests/support/measures/metrics.ts'
import { startSmtp } from '#tests/support/outside/smtp.ts'
import { startInstallation } from '#tests/support/servers/installation.ts'
import { dataFolder } from '#tests/support/servers/server.ts'
import { healthy } from '#tests/support/trades/crowd.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const UNITS = join(ROOT, 'deploy', 'systemd')
const INSTALLED = '/opt/cleartick'

const names = readdirSync(UNITS).filter((name) => /\.(service|timer)$/.test(name))
const textOf = (name: string) => {
  const [template, role] = name.split(/(?<=@)(\w+)/) as [string, string?]
  const file = role === undefined ? name : `${template}.service`
  return readFileSync(join(UNITS, file), 'utf8')
    .replaceAll(INSTALLED, ROOT)
    .replaceAll('%i', role ?? '%i')
}

test("systemd accepts every unit, and each timer's service exists", (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) context.skip('did not run: systemd-analyze is missing')
  const folder = dataFolder()
  for (const name of names) writeFileSync(join(folder, name), textOf(name))
  for (const name of names) {
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, name)], {
      encoding: 'utf8',
    })
    expect({ name, status, said: `${stdout}${stderr}` }).toEqual({ name, status: 0, said: '' })
    if (name.endsWith('.timer')) expect(names).toContain(name.replace('.timer', '.service'))
  }
})

test('no unit exposes the machine more than it needs to', (context) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) context.skip('did not run: systemd-analyze is missing')
  for (const name of names.filter((one) => one.endsWith('.service'))) {
    const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', '--no-pager', join(UNITS, name)], {
      encoding: 'utf8',
    })
    expect(Number(/Overall exposure level for .*: ([\d.]+)/.exec(stdout)?.[1]), name).toBeLessThan(3)
  }
})

test('a server that can not start is started again without end', () => {
  for (const name of ['cleartick.service', 'cleartick@web.service'])
    expect(textOf(name)).toMatch(/^StartLimitIntervalSec=0$[\s\S]*^Restart=always$/m)
})

test('cleartick-run runs a command with the settings of the server, and names one that does not exist', () => {
  const folder = dataFolder()
  writeFileSync(join(folder, 'systemd-run'), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 })
  const run = (...args: string[]) =>
    spawnSync(join(UNITS, 'cleartick-run'), args, {
      env: { PATH: `${folder}:/usr/bin:/bin`, CLEARTICK_FOLDER: ROOT },
      encoding: 'utf8',
    })
  const { status, stdout } = run('desk', 'invite', 'ada@example.org', 'admin')
  expect(status).toBe(0)
  const words = stdout.trim().split('\n')
  expect(words).toEqual(
    expect.arrayContaining(['--property=User=cleartick', '--property=EnvironmentFile=/etc/cleartick/settings']),
  )
  expect(words.slice(-4)).toEqual([join(ROOT, 'ops/commands/desk-command.ts'), 'invite', 'ada@example.org', 'admin'])
  expect(run('verify').stdout).toContain('ops/commands/verify.ts')
  expect(run('erase')).toMatchObject({ status: 1, stderr: 'There is no command erase.\n' })
})

/** Returns the `KEY=VALUE` lines of a unit or a settings file. */
function settingsIn(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const given = /^Environment=(.*)$/.exec(line)?.[1]?.split(' ') ?? [line]
    return given.flatMap((one) => (/^([A-Z_]+)=(.*)$/.exec(one)?.slice(1, 3) as [string, string] | undefined) ?? [])
  })
  return Object.fromEntries(Array.from({ length: pairs.length / 2 }, (_, at) => [pairs[2 * at]!, pairs[2 * at + 1]!]))
}

interface Started {
  child: ChildProcess
  output(): string
  ended: Promise<number | null>
}

/** Runs a unit's command as its user, with the project's folder read-only. Needs root, like systemd. */
function start(unit: string, overrides: Record<string, string>): Started {
  const text = textOf(unit)
  const command = /^ExecStart=(.*)$/m.exec(text)![1]!
  const { uid, gid } = postgresUser()!
  const script = `mount --bind "${ROOT}" "${ROOT}" && mount -o remount,bind,ro "${ROOT}" && cd "${ROOT}" && umask 0077 && exec setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all ${command}`
  const child = spawn('unshare', ['--mount', 'sh', '-c', script], {
    cwd: '/',
    env: {
      PATH: '/usr/bin:/bin',
      ...settingsIn(readFileSync(join(UNITS, 'settings.example'), 'utf8')),
      ...settingsIn(text),
      ...overrides,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += String(bytes)))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, output: () => output, ended }
}

function end({ child, ended }: Started): Promise<number | null> {
  child.kill('SIGTERM')
  return ended
}

function needsRoot(context: TestContext): void {
  if (process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0) return
  context.skip('did not run: only root can run commands as another user in a read-only folder')
}

/** Returns settings that must differ from an installation's: its folders, and services that tests can't reach. */
async function overridesFor(context: TestContext) {
  needsRoot(context)
  const { uid, gid } = postgresUser()!
  const folder = dataFolder()
  const own = (name: string) => {
    const path = join(folder, name)
    mkdirSync(path, { mode: 0o700 })
    chownSync(path, uid, gid)
    return path
  }
  const smtp = await startSmtp()
  onTestFinished(() => smtp.stop())
  const key = join(own('etc'), 'backup.key')
  writeFileSync(key, `${'ab'.repeat(32)}\n`, { mode: 0o600 })
  chownSync(key, uid, gid)
  return {
    DATA_DIR: own('data'),
    BACKUP_URL: own('backups'),
    BACKUP_KEY_FILE: key,
    SMTP_URL: smtp.url,
    // Exchanges aren't reachable.
    FEED: 'simulation',
    PORT: String(await freePort(0)),
    // In this test, both machines are the same one.
    METRICS_PORT: '0',
    LOG_LEVEL: 'error',
  }
}

async function isUp({ output, ended }: Started): Promise<void> {
  let over = false
  void ended.then(() => {
    over = true
  })
  while (!over && !/is up/.test(output())) await sleep(50)
  expect(output()).toMatch(/is up/)
}

test('each command of the units works as its user, with the project read-only', async (context) => {
  const overrides = await overridesFor(context)
  const server = start('cleartick.service', overrides)
  onTestFinished(async () => void (await end(server)))
  await isUp(server)
  await healthy({ origin: `http://127.0.0.1:${overrides.PORT}`, output: server.output })

  for (const [unit, code, says] of [
    ['cleartick-backup.service', 0, /^Backup \S+: full/],
    ['cleartick-verify.service', 0, /All checks passed/],
    // A new installation has no capital yet. A busy machine's disk may also be slow.
    [
      'cleartick-doctor.service',
      1,
      /The server is running(?!.*WARNING (?!operators|fsync)).*WARNING operators.*PROBLEM capital.*\n1 problem, /s,
    ],
  ] as const) {
    const { ended, output } = start(unit, overrides)
    expect({ unit, code: await ended, output: output() }).toEqual({
      unit,
      code,
      output: expect.stringMatching(says),
    })
  }
  // Monitoring shows that both ran.
  const engine = /Metrics +(http:\S+)\/metrics +\(engine\)/.exec(server.output())![1]!
  for (const command of ['backup', 'verify'])
    await expect
      .poll(async () => (await scrape(engine)).value('cleartick_maintenance_succeeded', { command }), {
        timeout: 20_000,
      })
      .toBe(1)
  expect(await end(server)).toBe(0)
})

test('engine and web run as units on two machines with one PostgreSQL', async (context) => {
  const [overrides, others] = [await overridesFor(context), await overridesFor(context)]
  const { superUrl } = await startInstallation()
  const shared = { DATABASE_URL: superUrl, FILES_KEY: 'cd'.repeat(32) }
  const engine = start('cleartick@engine.service', { ...others, ...shared })
  onTestFinished(async () => void (await end(engine)))
  await isUp(engine)
  const web = start('cleartick@web.service', { ...overrides, ...shared })
  onTestFinished(async () => void (await end(web)))
  await isUp(web)
  await healthy({ origin: `http://127.0.0.1:${overrides.PORT}`, output: web.output })
  expect(await end(web)).toBe(0)
  expect(await end(engine)).toBe(0)
})
