import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { readConfig, SECRETS } from '#server/config/config.ts'
import { type Manifest, renderChart } from '#tests/support/outside/chart.ts'
import { dataFolder } from '#tests/support/servers/server.ts'

/** The Helm chart, rendered by a small template renderer everywhere, and by Helm too if it's installed. */
const CHART = fileURLToPath(new URL('../../../deploy/helm', import.meta.url))
const DOCKERFILE = readFileSync(new URL('../../../deploy/container/Dockerfile', import.meta.url), 'utf8')
const everything = {
  podMonitor: { enabled: true },
  prometheusRule: { enabled: true, labels: { release: 'prometheus' } },
  jobs: { backup: { enabled: true } },
  secretSettings: { PYTH_API_KEY: { secret: 'cleartick-feeds', key: 'pyth' } },
  web: {
    settings: { CARD_PROVIDER: 'none' },
    secretSettings: { STRIPE_SECRET_KEY: { secret: 'cleartick-cards', key: 'stripe' } },
  },
  tolerations: [{ key: 'trading', operator: 'Exists' }],
  affinity: { nodeAffinity: {} },
  image: { pullSecrets: [{ name: 'registry' }] },
}

const of = (all: Manifest[], kind: string, name = '') =>
  all.filter((one) => one.kind === kind && one.metadata.name.endsWith(name))
const podOf = (one: Manifest) => (one.kind === 'CronJob' ? one.spec.jobTemplate : one).spec.template.spec
/** Those that an operator would run by hand. */
const JOBS = ['backup', 'verify', 'doctor']

describe.each([
  ['by default', {}],
  ['with everything', everything],
])('the chart %s', (_, values) => {
  const all = renderChart(values)
  const workloads = [...of(all, 'Deployment'), ...of(all, 'Job'), ...of(all, 'CronJob')]
  const jobs = JOBS.filter((name) => name !== 'backup' || values === everything)

  test('every object has a unique name and the labels', () => {
    for (const { apiVersion, kind, metadata } of all) {
      expect({ apiVersion, kind, name: metadata.name }).toEqual({
        apiVersion: expect.any(String),
        kind: expect.any(String),
        name: expect.stringMatching(/^trade/),
      })
      expect(metadata.labels['app.kubernetes.io/instance']).toBe('trade')
    }
    const names = all.map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    expect(new Set(names).size).toBe(names.length)
    expect(workloads.map(({ metadata }) => metadata.name).sort()).toEqual(
      ['engine', 'migrate', 'web', ...jobs].map((name) => `trade-${name}`).sort(),
    )
  })

  test("pods meet the restricted standard and run as the image's user", () => {
    const user = Number(/^USER (\d+):/m.exec(DOCKERFILE)![1])
    for (const workload of workloads) {
      const { securityContext, automountServiceAccountToken, containers, volumes } = podOf(workload)
      expect(automountServiceAccountToken).toBe(false)
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: user,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const { securityContext: own, volumeMounts, resources } of containers) {
        expect(own).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(resources.limits.memory).toMatch(/Mi|Gi/)
        const given = volumes.map(({ name }: Manifest) => name)
        for (const { name } of volumeMounts) expect(given).toContain(name)
      }
    }
  })

  test("only the migration and the operator's jobs get the owner's login, and only engines get the checkpoint key", () => {
    for (const workload of workloads) {
      const keys = podOf(workload).volumes.flatMap(
        ({ secret }: Manifest) => secret?.items.map(({ key }: Manifest) => key) ?? [],
      )
      expect(keys.includes('database-url')).toBe(workload.kind !== 'Deployment')
      expect(keys.includes('backup-key')).toBe(workload.kind === 'CronJob' && values === everything)
      expect(keys.includes('proof-key')).toBe(workload.metadata.name.endsWith('-engine'))
    }
  })

  test('the server accepts the settings of each pod, and each secret is a mounted file', () => {
    const [map] = of(all, 'ConfigMap')
    for (const workload of workloads) {
      const { containers, volumes } = podOf(workload)
      const [container] = containers as Manifest[]
      const own = Object.fromEntries(
        (container!.env as Manifest[]).map(({ name, value, valueFrom }) => [
          name,
          value ?? `sk_${valueFrom.secretKeyRef.key}`,
        ]),
      )
      const env: Record<string, string> = { ...(container!.envFrom ? map!.data : {}), ...own }
      for (const value of Object.values(env)) expect(value).toBeTypeOf('string')
      const folder = dataFolder()
      for (const [name, path] of Object.entries(env).filter(([key]) => key.endsWith('_FILE'))) {
        const mount = (container!.volumeMounts as Manifest[]).find(({ mountPath }) => path.startsWith(`${mountPath}/`))!
        const { secret } = (volumes as Manifest[]).find((volume) => volume.name === mount.name)!
        expect(secret.items.map((item: Manifest) => `${mount.mountPath}/${item.path}`)).toContain(path)
        // The key of backups is the name of its file.
        expect([...SECRETS.map((key) => `${key}_FILE`), 'BACKUP_KEY_FILE']).toContain(name)
        env[name] = join(folder, name)
        writeFileSync(env[name], SAMPLES[name] ?? 'postgres://u:p@h/d?sslmode=verify-full')
      }
      const config = readConfig({ ...imageEnv(), ...env, DATA_DIR: folder })
      expect(config.production).toBe(true)
      expect(config.PUBLIC_URL).toBe('https://trade.example.org')
      if (workload.kind !== 'Deployment') expect(config.DATABASE_URL).toBeDefined()
      if (workload.kind === 'Deployment') {
        expect(config).toMatchObject({ MIGRATIONS: 'wait', METRICS_PORT: 9464, METRICS_HOST: '0.0.0.0' })
        expect(config.ROLES).toEqual([own.ROLES])
      }
    }
  })

  test('probes, services, budgets and scaling refer to existing objects', () => {
    for (const workload of of(all, 'Deployment')) {
      const [container] = podOf(workload).containers as Manifest[]
      const ports = new Map((container!.ports as Manifest[]).map((port) => [port.name, port.containerPort]))
      for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe']) {
        const probe = container![kind]?.httpGet
        if (probe) expect([...ports.keys()]).toContain(probe.port)
      }
      expect(container!.livenessProbe.httpGet.path).toBe('/live')
    }
    const labels = of(all, 'Deployment').map((one) => one.spec.template.metadata.labels as Record<string, string>)
    const selects = (selector: Record<string, string>) =>
      labels.filter((given) => Object.entries(selector).every(([key, value]) => given[key] === value)).length
    for (const one of of(all, 'Deployment')) expect(selects(one.spec.selector.matchLabels)).toBe(1)
    for (const one of of(all, 'PodDisruptionBudget')) expect(selects(one.spec.selector.matchLabels)).toBe(1)
    expect(selects(of(all, 'Service')[0]!.spec.selector)).toBe(1)
    expect(of(all, 'Ingress')[0]!.spec.rules[0].http.paths[0].backend.service.name).toBe(
      of(all, 'Service')[0]!.metadata.name,
    )
    const [scaler] = of(all, 'HorizontalPodAutoscaler')
    expect(of(all, 'Deployment', scaler!.spec.scaleTargetRef.name)).toHaveLength(1)
    expect(of(all, 'Deployment', '-web')[0]!.spec.replicas).toBeUndefined()
    expect(of(all, 'Job')[0]!.metadata.annotations['helm.sh/hook']).toBe('pre-install,pre-upgrade')
  })
})

test('every pod gets PLAIN_CONNECTIONS, so that a private network can do without TLS', () => {
  const plain = (all: Manifest[]) => {
    const map = of(all, 'ConfigMap')[0]!.data.PLAIN_CONNECTIONS
    const job = podOf(of(all, 'Job')[0]!).containers[0].env.find(({ name }: Manifest) => name === 'PLAIN_CONNECTIONS')
    return [map, job.value]
  }
  const names = 'DATABASE_URL,DATABASE_APP_URL'
  expect(plain(renderChart({ settings: { PLAIN_CONNECTIONS: names } } as never))).toEqual([names, names])
  expect(plain(renderChart())).toEqual(['', ''])
})

test('an unquoted number keeps all its digits as a setting', () => {
  const settings = { SUPPORT_PHONE: 442079460000, TAPE_RETENTION_DAYS: 30, OTEL_TRACES_SAMPLER_ARG: 0.00001 }
  const all = renderChart({ settings, web: { settings } } as never)
  const texts = { SUPPORT_PHONE: '442079460000', TAPE_RETENTION_DAYS: '30', OTEL_TRACES_SAMPLER_ARG: '0.00001' }
  expect(of(all, 'ConfigMap')[0]!.data).toMatchObject(texts)
  const own = podOf(of(all, 'Deployment', '-web')[0]!).containers[0].env as Manifest[]
  expect(Object.fromEntries(own.map(({ name, value }) => [name, value]))).toMatchObject(texts)
})

test('null removes a default value', () => {
  const [map] = of(renderChart({ settings: { LOG_LEVEL: null } }), 'ConfigMap')
  expect(map!.data).toHaveProperty('FEED')
  expect(map!.data).not.toHaveProperty('LOG_LEVEL')
})

test('jobs run a command that exists, by a schedule, one at a time and as no engine', () => {
  const all = of(renderChart(everything as never), 'CronJob')
  expect(all).toHaveLength(JOBS.length)
  for (const one of all) {
    const [container] = podOf(one).containers as Manifest[]
    expect(existsSync(new URL(`../../../${container!.command[1]}`, import.meta.url))).toBe(true)
    expect(one.spec).toMatchObject({
      schedule: expect.stringMatching(/^[\d*]+ [\d*]+ \* \* \*$/),
      concurrencyPolicy: 'Forbid',
    })
    // The doctor would miss the key of receipts, which only engines have.
    expect(container!.env).toContainEqual({ name: 'ROLES', value: 'web' })
  }
})

test('pods go where the values say, keep a bounded amount on their node, and get secrets by their names', () => {
  const all = renderChart(everything as never)
  for (const one of [...of(all, 'Deployment'), ...of(all, 'Job'), ...of(all, 'CronJob')]) {
    const { tolerations, affinity, volumes, containers } = podOf(one)
    expect({ tolerations, affinity }).toEqual({ tolerations: everything.tolerations, affinity: everything.affinity })
    for (const { emptyDir } of volumes) if (emptyDir) expect(emptyDir.sizeLimit).toMatch(/^\dGi$/)
    const secrets = (containers[0].env as Manifest[]).filter(({ valueFrom }) => valueFrom).map(({ name }) => name)
    const isWeb = one.metadata.name.endsWith('-web')
    const expected = one.kind === 'Job' ? [] : isWeb ? ['PYTH_API_KEY', 'STRIPE_SECRET_KEY'] : ['PYTH_API_KEY']
    expect(secrets).toEqual(expected)
  }
})

test('the rules are those of deploy/monitoring, and their job is the one of the PodMonitor', () => {
  const all = renderChart(everything as never)
  const rules = parse(readFileSync(new URL('../../../deploy/monitoring/alerts.yml', import.meta.url), 'utf8'))
  const [rule] = of(all, 'PrometheusRule')
  expect(rule!.spec).toEqual(rules)
  expect(rule!.metadata.labels.release).toBe('prometheus')
  const { jobLabel } = of(all, 'PodMonitor')[0]!.spec
  const job = of(all, 'Deployment', '-web')[0]!.spec.template.metadata.labels[jobLabel]
  expect(JSON.stringify(rules)).toContain(`job=\\"${job}\\"`)
})

test('options add and remove their objects', () => {
  const kinds = (values: object) => new Set(renderChart(values as never).map(({ kind }) => kind))
  expect(kinds({}).has('PodMonitor')).toBe(false)
  expect(kinds(everything).has('PodMonitor')).toBe(true)
  const bare = {
    ingress: { enabled: false },
    networkPolicy: { enabled: false },
    web: { autoscaling: { enabled: false } },
    jobs: { verify: { enabled: false }, doctor: { enabled: false } },
  }
  expect([...kinds(bare)].sort()).toEqual(['ConfigMap', 'Deployment', 'Job', 'PodDisruptionBudget', 'Service'])
  expect(of(renderChart(bare), 'Deployment', '-web')[0]!.spec.replicas).toBe(2)
})

// The summary reports if Helm isn't installed.
if (spawnSync('helm', ['version']).status === 0)
  test('Helm renders the same', () => {
    const { stdout, stderr } = spawnSync('helm', ['template', 'trade', CHART], { encoding: 'utf8' })
    expect(stderr).toBe('')
    const byName = (all: Manifest[]) =>
      all.sort((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`))
    const theirs = parseAllDocuments(stdout).flatMap((document) =>
      document.toJS() ? [document.toJS() as Manifest] : [],
    )
    expect(byName(theirs)).toEqual(byName(renderChart()))
  })

const SAMPLES: Record<string, string> = {
  REDIS_URL_FILE: 'rediss://:p@valkey:6379',
  FILES_URL_FILE: 's3+https://key:secret@s3.example.org/cleartick',
  BACKUP_URL_FILE: 's3+https://key:secret@s3.example.org/backups',
  FILES_KEY_FILE: 'ab'.repeat(32),
  PROOF_KEY_FILE: 'cd'.repeat(32),
  SMTP_URL_FILE: 'smtps://u:p@mail.example.org',
  METRICS_TOKEN_FILE: 'a-token-of-enough-letters',
}

function imageEnv(): Record<string, string> {
  const pairs = /^ENV (.*)$/m.exec(DOCKERFILE)![1]!.split(' ')
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]))
}
