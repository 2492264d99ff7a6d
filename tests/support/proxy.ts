import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { freePort } from '#server/platform/postgres/embedded.ts'
import { dataFolder } from './server.ts'

const PROXY = fileURLToPath(new URL('../../deploy/proxy', import.meta.url))
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
 * Starts Debian's nginx with the configuration in `deploy/proxy`, in front of nodes on these ports. Only ports and
 * folders differ.
 */
export async function startProxy(given: { webPorts: number[]; tlsPort: number }): Promise<RunningProxy> {
  const { tlsPort } = given
  const plainPort = (await freePort(0))!
  const folder = dataFolder()
  mkdirSync(join(folder, 'cleartick'))
  mkdirSync(join(folder, 'temp'))
  const conf = readFileSync(join(PROXY, 'nginx.conf'), 'utf8')
    .replace('worker_processes auto', 'worker_processes 1')
    .replaceAll(/listen (\[::\]:)?80 /g, (_, v6 = '127.0.0.1:') => `listen ${v6}${plainPort} `)
    .replaceAll(/listen (\[::\]:)?443 /g, (_, v6 = '127.0.0.1:') => `listen ${v6}${tlsPort} `)
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replaceAll('/tmp/nginx-', join(folder, 'temp', 'nginx-'))
    .replaceAll('/run/nginx.pid', join(folder, 'nginx.pid'))
  writeFileSync(join(folder, 'nginx.conf'), conf)
  const line = /^server 10\.0\.0\.11:3000 (.*);$/m.exec(readFileSync(join(PROXY, 'web-nodes.conf'), 'utf8'))![1]
  writeFileSync(
    join(folder, 'cleartick', 'web-nodes.conf'),
    given.webPorts.map((port) => `server 127.0.0.1:${port} ${line};\n`).join(''),
  )
  const [key, certificate] = ['tls.key', 'tls.crt'].map((name) => join(folder, 'cleartick', name)) as [string, string]
  const made = spawnSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-addext',
      'subjectAltName=DNS:localhost',
      '-keyout',
      key,
      '-out',
      certificate,
    ],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.stderr)

  const args = ['-e', 'stderr', '-c', join(folder, 'nginx.conf')]
  const checked = spawnSync('nginx', ['-t', ...args], { encoding: 'utf8' })
  if (checked.status !== 0 || /\[(warn|emerg)\]/.test(checked.stderr)) throw new Error(checked.stderr)
  const child = spawn('nginx', [...args, '-g', 'daemon off;'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += String(bytes)))
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  onTestFinished(async () => {
    child.kill('SIGTERM')
    await ended
  })
  return { tlsPort, plainPort, ca: readFileSync(certificate, 'utf8'), output: () => output }
}
