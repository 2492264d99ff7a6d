import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { onTestFinished } from 'vitest'

export interface Certificate {
  /** The text of the certificate, which is self-signed. */
  ca: string
  certFile: string
  keyFile: string
}

/** Creates a certificate for `localhost` in a folder: `tls.crt` and `tls.key`. */
export function makeCertificate(folder: string): Certificate {
  const [keyFile, certFile] = [join(folder, 'tls.key'), join(folder, 'tls.crt')]
  const made = spawnSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certFile],
    ],
    { encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.stderr)
  return { ca: readFileSync(certFile, 'utf8'), certFile, keyFile }
}

/** Puts TLS in front of a plain server on this machine, until the end of the test. */
export async function tlsInFrontOf(plainPort: number, { ca, keyFile }: Certificate) {
  let handshakes = 0
  const server = createServer({ key: readFileSync(keyFile), cert: ca }, (client) => {
    handshakes++
    const behind = connect(plainPort, '127.0.0.1')
    client.on('error', () => behind.destroy())
    behind.on('error', () => client.destroy())
    client.pipe(behind).pipe(client)
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: (server.address() as AddressInfo).port, handshakes: () => handshakes }
}
