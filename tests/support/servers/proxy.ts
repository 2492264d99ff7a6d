import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { makeCertificate } from '../outside/tls.ts'
import { childrenOf } from './nodes.ts'
import { dataFolder } from './server.ts'

const PROXY = fileURLToPath(new URL('../../../deploy/proxy', import.meta.url))
export const HAS_NGINX = spawnSync('nginx', ['-v']).status === 0 && spawnSync('openssl', ['version']).status === 0

export interface RunningProxy {
  tlsPort: number
  plainPort: number
  /** The certificate that clients trust. */
  ca: string
  /** Everything that nginx wrote. */
  output(): string
}

/**
 * Starts Debian's nginx with the configuration in `deploy/proxy`, in front of nodes on these ports, until the end of
 * the test. Only ports and folders differ, and the limit of orders in flight if a test sets it.
 */
export async function startProxy(given: {
  webPorts: number[]
  tlsPort: number
  ordersMax?: number
}): Promise<RunningProxy> {
  const { tlsPort, ordersMax } = given
  const plainPort = (await freePort(0))!
  const folder = dataFolder()
  configure(folder, given.webPorts, (conf) => {
    const limited = ordersMax === undefined ? conf : conf.replace(/(limit_conn orders) \d+/, `$1 ${ordersMax}`)
    return onPorts(limited, { plainPort, tlsPort })
  })
  const { ca } = makeCertificate(join(folder, 'cleartick'))
  const nginx = runNginx(folder)
  onTestFinished(() => nginx.end('SIGTERM'))
  return { tlsPort, plainPort, ca, output: nginx.output }
}

/** An nginx process that a test can kill and pause. */
export interface NginxProcess {
  output(): string
  /** Sends a signal to nginx and its workers. */
  signal(signal: NodeJS.Signals): void
  /** Ends it, and waits until it has exited. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Writes the configuration in `deploy/proxy` into a folder, without TLS: the site is at `port`. */
export function configureWithoutTls(folder: string, given: { webPorts: number[]; port: number; unused: number }): void {
  configure(folder, given.webPorts, (conf) =>
    onPorts(conf, { plainPort: given.unused, tlsPort: given.port })
      .replaceAll(/ ssl http2 default_server/g, ' default_server')
      .replaceAll(/^ *ssl_.*\n/gm, ''),
  )
}

/** Starts nginx on a folder that has its configuration. */
export function runNginx(folder: string): NginxProcess {
  const args = ['-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' })
  if (checked.status !== 0 || /\[(warn|emerg)\]/.test(checked.stderr)) throw new Error(checked.stderr)
  const child: ChildProcess = spawn('nginx', [...args, '-g', 'daemon off;'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (bytes: Buffer) => (output += String(bytes)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const signal = (name: NodeJS.Signals) => {
    const all = [child.pid!, ...childrenOf(child.pid!)]
    for (const pid of name === 'SIGTERM' ? all.slice(0, 1) : all) process.kill(pid, name)
  }
  return {
    output: () => output,
    signal,
    async end(how) {
      if (child.exitCode === null && child.signalCode === null) signal(how)
      await ended
    },
  }
}

function configure(folder: string, webPorts: number[], change: (conf: string) => string): void {
  mkdirSync(join(folder, 'cleartick'))
  mkdirSync(join(folder, 'temp'))
  const conf = readFileSync(join(PROXY, 'nginx.conf'), 'utf8')
    .replace('worker_processes auto', 'worker_processes 1')
    .replaceAll('/tmp/nginx-', join(folder, 'temp', 'nginx-'))
    .replaceAll('/run/nginx.pid', join(folder, 'nginx.pid'))
  writeFileSync(join(folder, 'nginx.conf'), change(conf))
  const line = /^server 10\.0\.0\.11:3000 (.*);$/m.exec(readFileSync(join(PROXY, 'web-nodes.conf'), 'utf8'))![1]
  writeFileSync(
    join(folder, 'cleartick', 'web-nodes.conf'),
    webPorts.map((port) => `server 127.0.0.1:${port} ${line};\n`).join(''),
  )
}

const onPorts = (conf: string, { plainPort, tlsPort }: { plainPort: number; tlsPort: number }) =>
  conf
    .replaceAll(/listen (\[::\]:)?80 /g, (_, v6 = '127.0.0.1:') => `listen ${v6}${plainPort} `)
    .replaceAll(/listen (\[::\]:)?443 /g, (_, v6 = '127.0.0.1:') => `listen ${v6}${tlsPort} `)
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
