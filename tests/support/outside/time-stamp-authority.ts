import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

export const HAS_OPENSSL = spawnSync('openssl', ['version']).status === 0

const SETTINGS = `
[req]
distinguished_name = name
x509_extensions = authority
prompt = no
[name]
CN = Test authority
[authority]
extendedKeyUsage = critical,timeStamping
[stamps]
serial = serial
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
`

interface TimeStampAuthority {
  url: string
  /** Sends the response. Gets the one that openssl made, and may send another. */
  answer: (response: ServerResponse, stamped: Buffer, query: Buffer) => void
  /** Whether openssl accepts a response for a digest. */
  accepts(response: Buffer, digest: Buffer): boolean
}

/** Starts a time-stamp authority (RFC 3161): openssl behind HTTP. */
export async function startAuthority(): Promise<TimeStampAuthority> {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-authority-'))
  const openssl = (...args: string[]) => spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' })
  writeFileSync(join(folder, 'settings'), SETTINGS)
  writeFileSync(join(folder, 'serial'), '01\n')
  const made = openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-sha256'],
    ...['-config', 'settings', '-keyout', 'key.pem', '-out', 'certificate.pem'],
  )
  if (made.status !== 0) throw new Error(made.stderr)

  function stamp(query: Buffer): Buffer {
    writeFileSync(join(folder, 'query'), query)
    const done = openssl(
      ...['ts', '-reply', '-queryfile', 'query', '-config', 'settings', '-section', 'stamps'],
      ...['-signer', 'certificate.pem', '-inkey', 'key.pem', '-out', 'response'],
    )
    if (done.status !== 0) throw new Error(done.stderr)
    return readFileSync(join(folder, 'response'))
  }

  const authority: TimeStampAuthority = {
    url: '',
    answer: (response, stamped) => void response.end(stamped),
    accepts(response, digest) {
      writeFileSync(join(folder, 'given'), response)
      const args = ['ts', '-verify', '-digest', digest.toString('hex'), '-in', 'given', '-CAfile', 'certificate.pem']
      return openssl(...args).status === 0
    },
  }
  const server = createServer((request: IncomingMessage, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const query = Buffer.concat(pieces)
      authority.answer(response, stamp(query), query)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  authority.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return authority
}
