import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { makeCertificate } from './tls.ts'

/** A message as the browser would get it, after the push service and the browser have checked and decrypted it. */
export interface Pushed {
  path: string
  ttl: number
  urgency: string | undefined
  /** The claims of the VAPID token. */
  claims: { aud: string; exp: number; sub: string }
  /** The key that signed it, as base64url. */
  key: string
  message: { web_push: number; notification: { title: string; body: string; navigate: string; tag: string } }
}

/**
 * Starts a push service for one browser: it checks the VAPID token (RFC 8292) as a push service does, and decrypts the
 * message (RFC 8291) as a browser does. What is wrong is answered with 400 and kept in `faults`.
 */
export async function startPushService() {
  const folder = mkdtempSync(join(tmpdir(), 'cleartick-push-'))
  const { ca, keyFile } = makeCertificate(folder)
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const service = {
    origin: '',
    ca,
    received: [] as Pushed[],
    faults: [] as string[],
    calls: 0,
    /** Answers a message that is right. */
    answer: (response: ServerResponse): void => void response.writeHead(201).end(),
    /** What a browser's `PushSubscription.toJSON()` has, for an address of this service. */
    subscription: (name = 'browser') => ({
      endpoint: `${service.origin}/push/${name}`,
      keys: { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
    }),
  }
  const server = createServer({ key: readFileSync(keyFile), cert: ca }, (request, response) => {
    service.calls++
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      try {
        service.received.push(read(request, Buffer.concat(pieces)))
      } catch (error) {
        service.faults.push(String(error))
        response.writeHead(400).end()
        return
      }
      service.answer(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  service.origin = `https://localhost:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
    rmSync(folder, { recursive: true })
  })
  return service

  function read({ headers, url, method }: IncomingMessage, body: Buffer): Pushed {
    if (method !== 'POST') throw new Error(`the method is ${method}`)
    if (headers['content-encoding'] !== 'aes128gcm') throw new Error(`the encoding is ${headers['content-encoding']}`)
    if (body.length > 4096) throw new Error(`a message of ${body.length} bytes is too long`)
    return {
      path: url ?? '',
      ttl: Number(headers.ttl),
      urgency: headers.urgency as string | undefined,
      ...checkToken(headers.authorization ?? ''),
      message: JSON.parse(decrypt(body)) as Pushed['message'],
    }
  }

  function checkToken(authorization: string): Pick<Pushed, 'claims' | 'key'> {
    const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? []
    const [head = '', claims = '', signature = ''] = token.split('.')
    const point = Buffer.from(key, 'base64url')
    const jwk = {
      ...{ kty: 'EC', crv: 'P-256' },
      ...{ x: point.subarray(1, 33).toString('base64url'), y: point.subarray(33).toString('base64url') },
    }
    const isRight = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    )
    if (!isRight) throw new Error('the signature of the VAPID token is wrong')
    const read = JSON.parse(String(Buffer.from(claims, 'base64url'))) as Pushed['claims']
    const seconds = Date.now() / 1000
    if (read.aud !== service.origin) throw new Error(`the token is for ${read.aud}`)
    if (read.exp < seconds || read.exp > seconds + 24 * 3600) throw new Error(`the token ends at ${read.exp}`)
    return { claims: read, key }
  }

  function decrypt(body: Buffer): string {
    const salt = body.subarray(0, 16)
    const keyLength = body.readUInt8(20)
    const sender = body.subarray(21, 21 + keyLength)
    const sealed = body.subarray(21 + keyLength)
    const expand = (secret: Buffer, with_: Buffer, info: Buffer | string, length: number) =>
      Buffer.from(hkdfSync('sha256', secret, with_, info, length))
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
    const key = expand(browser.computeSecret(sender), auth, info, 32)
    const decipher = createDecipheriv(
      'aes-128-gcm',
      expand(key, salt, 'Content-Encoding: aes128gcm\0', 16),
      expand(key, salt, 'Content-Encoding: nonce\0', 12),
    )
    decipher.setAuthTag(sealed.subarray(-16))
    const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    return padded.subarray(0, padded.lastIndexOf(2)).toString()
  }
}
