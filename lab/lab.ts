/** A part of the laboratory: what measures or breaks the product. `npm run lab -- NAME` runs it. */
export interface Experiment {
  does: string
  /** Its Vitest files. */
  tests?: readonly string[]
  /** Its browser tests, in `tests/e2e`. */
  browser?: readonly string[]
  /** Its command, for Node. Arguments after the name are passed on. */
  command?: readonly string[]
  /** Arguments of the command in a run of everything, where its defaults take too long. */
  short?: readonly string[]
  /** CI runs it after `npm test`. */
  inCi?: boolean
}

const bench = (name: string, does: string, ...short: string[]): Experiment => ({
  does,
  command: [`lab/bench/${name}.ts`],
  short,
})

export const LAB: Record<string, Experiment> = {
  crashes: {
    does: 'kills the server, its database or both, cuts connections, fills the disk, sets the clock',
    tests: [
      'server',
      'waiting-orders',
      'signals-from-outside',
      'deployment/first-start',
      'deployment/mistyped-folder',
      'database/disk-full',
      'clocks',
      'deployment/external-database',
      'harness',
      'sales',
    ].map((name) => `lab/faults/${name}.test.ts`),
    inCi: true,
  },
  locks: { does: 'accounts that stay locked, by a console and by a paused web', tests: ['lab/faults/busy.test.ts'] },
  operations: {
    does: 'the doctor, monitoring ports, traces and TLS of running servers',
    tests: ['monitoring/doctor', 'monitoring/monitoring', 'monitoring/traces', 'deployment/tls'].map(
      (name) => `lab/faults/${name}.test.ts`,
    ),
    inCi: true,
  },
  promptness: {
    does: 'promises about time: sessions that end, nodes that stop, exchanges that come back, late event loops',
    tests: ['lab/faults/promptness.test.ts'],
    inCi: true,
  },
  outages: {
    does: 'what a browser shows while the server, its engine or its web is gone, and over a weekend',
    browser: ['trading/dead-server.spec.ts', 'trading/markets/closed-market.spec.ts'],
    inCi: true,
  },
  nodes: {
    does: 'several engines and webs on one database',
    tests: ['nodes', 'house-risk', 'deployment/upgrade'].map((name) => `lab/faults/${name}.test.ts`),
  },
  releases: {
    does: 'upgrades from the dump of each released version; with a version, makes its dump',
    tests: ['lab/releases/releases.test.ts'],
    command: ['lab/releases/make.ts'],
    inCi: true,
  },
  'next-release': {
    does: 'whether the dump that the next release would make is small, restores and upgrades',
    tests: ['lab/releases/make.test.ts'],
  },
  failover: {
    does: 'standby, failover, and a short run of a broken cluster',
    tests: ['database/standby', 'database/failover', 'database/cluster'].map((name) => `lab/faults/${name}.test.ts`),
  },
  backups: {
    does: 'backups that are damaged, interrupted or on a full disk, and what restoring them refuses',
    tests: ['backup/backup', 'backup/backup-commands', 'backup/backup-interrupted'].map(
      (name) => `lab/faults/${name}.test.ts`,
    ),
    inCi: true,
  },
  containers: {
    does: 'the image, the compose file and the systemd units',
    tests: ['deployment/container', 'deployment/deploy'].map((name) => `lab/faults/${name}.test.ts`),
  },
  proxies: { does: 'nginx in front of webs that hang or die', tests: ['lab/faults/deployment/proxy.test.ts'] },
  helm: { does: 'the Helm chart', tests: ['lab/faults/deployment/helm.test.ts'], inCi: true },
  attacks: {
    does: 'whether hostile requests stall the tape, or their times tell who has an account',
    tests: ['stall-the-tape', 'enumeration-by-time'].map((name) => `lab/abuse/${name}.test.ts`),
  },
  abuse: {
    does: '100,000 hostile requests to every call',
    tests: ['lab/abuse/hostile-requests.test.ts'],
    command: ['lab/abuse/harness/command.ts'],
  },
  scale: {
    does: 'acceptance and settlement of many trades at once',
    tests: ['lab/scale/trading-at-scale.test.ts'],
    inCi: true,
  },
  month: {
    does: 'trades days, then recomputes every outcome from the downloaded tape',
    tests: ['lab/month/replay-month.test.ts'],
    command: ['lab/month/command.ts'],
    inCi: true,
  },
  coverage: {
    does: 'how often the intervals of hit rates contain the true rate, on 2,000 simulated days',
    command: ['lab/coverage/command.ts'],
    short: ['--to', '400'],
  },
  faults: {
    does: 'breaks the running product under load, once for each fault',
    command: ['lab/faults/harness/command.ts'],
  },
  planted: {
    does: 'plants bugs, and checks that the fault harness catches each',
    command: ['lab/faults/harness/command.ts', '--planted'],
  },
  mutants: {
    does: 'changes the code in small ways, and counts how many changes the tests notice',
    command: ['lab/mutants/command.ts'],
    short: ['kernel'],
  },
  accept: bench('trading/accept', 'trades accepted, compared with TPC-B', '2', '1'),
  bind: bench('trading/bind', 'trades accepted, with and without binding them in the tape', '2', '1'),
  rooms: bench('trading/rooms', 'real trades accepted, with and without room for the house to lose', '2', '1'),
  'sales-and-lists': bench(
    'trading/sales-and-lists',
    'trades accepted, with and without sales, and many price lists',
    '2',
    '1',
  ),
  http: bench('trading/http', 'trades accepted over HTTP, compared with TPC-B', '1', '2'),
  standby: bench('trading/standby', 'trades accepted over HTTP with a synchronous standby', '1', '2'),
  settle: bench('trading/settle', 'trades settled, compared with the bare writes', '2', '50000'),
  lateness: bench('trading/lateness', 'how late trades settle while others arrive'),
  goodput: bench('trading/goodput', 'trades accepted while twice as many are offered', '1', '3'),
  'two-webs': bench('trading/nodes', 'age of frames and lateness with two webs', '64', '75'),
  reads: bench('installation/reads', 'processor time of reads, compared with the health page', '2', '1000'),
  automatic: bench('trading/automatic', 'how much 10,000 followers delay clicks', '2'),
  frame: bench('prices/frame', 'processor time of a frame', '5'),
  alerts: bench(
    'prices/alerts',
    'processor time of a frame, with and without 100,000 alerts or waiting orders',
    '100000',
    '5',
  ),
  index: bench('prices/index', 'processor time of live prices, compared with ccxt', '3'),
  'live-frames': bench('prices/live-frames', 'age of frames in a browser with live prices', '40'),
  'live-memory': bench('prices/live-memory', 'memory in use with live prices', '5'),
  latency: bench('prices/latency', 'what a bot earns that knows prices before the tape shows them'),
  sale: bench('prices/sale', 'what a bot earns that sells its trades early, on recorded days'),
  manipulation: bench(
    'prices/manipulation',
    'what moving a price costs and earns, with single ticks and averages',
    '40',
    '1',
  ),
  'index-days': bench('prices/index-days', 'recorded days of several sources through the index'),
  desk: bench('installation/desk', "the desk's decisions and lists, compared with a lookup by key", '2', '100'),
  backup: bench('installation/backup', 'a drill: backed up, restored, verified', '100000'),
  fanout: bench('prices/fanout', '10,000 sockets, compared with bare ones', '2000', '10'),
  archive: bench('installation/archive', 'trades that leave the database', '50000'),
  idle: bench('installation/idle', 'what an idle installation takes', '1'),
  chart: bench('installation/chart', 'processor time of a frame of the chart, with indicators and drawings', '200'),
  bundle: bench('installation/bundle', 'JavaScript that a screen loads'),
  site: bench('installation/site', 'public pages in Lighthouse', '/'),
}
