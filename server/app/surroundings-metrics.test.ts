import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate, tlsInFrontOf } from '#tests/support/outside/tls.ts'
import { certificateExpiry } from './surroundings-metrics.ts'

async function listening(): Promise<number> {
  const server = createServer((socket) => void socket.on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

test('reads when the certificate of the public address expires, though nobody trusts it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const certificate = makeCertificate(folder)
  const { port } = await tlsInFrontOf(await listening(), certificate)
  expect(await certificateExpiry(`https://localhost:${port}`)).toBe(
    Date.parse(new X509Certificate(certificate.ca).validTo) / 1_000,
  )
})

test('knows no expiry without TLS, or where nobody answers with a certificate', async () => {
  expect(await certificateExpiry('http://localhost:1')).toBeUndefined()
  expect(await certificateExpiry('https://localhost:1')).toBeUndefined()
  // One that accepts the connection and says nothing.
  expect(await certificateExpiry(`https://localhost:${await listening()}`)).toBeUndefined()
})
