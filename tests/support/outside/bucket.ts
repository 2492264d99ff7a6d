import { createHash, createHmac } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

const BUCKET = 'cleartick'
const REGION = 'eu-central-1'
const KEY_ID = 'CLEARTICK'
/** A secret with characters that have a meaning in URLs. */
const SECRET = 'a/secret+with:signs@'
const MAX_SKEW_MS = 15 * 60_000

/**
 * Starts a server for one bucket, whose objects are files in `directory`. It implements the part of S3 that we use
 * (put, get, delete and list objects) and verifies every signature, region, date and checksum, as S3 does. `before` may
 * hold a request that has arrived in full.
 */
export async function bucketServer(directory: string, port = 0, before?: (request: IncomingMessage) => Promise<void>) {
  mkdirSync(directory, { recursive: true })
  const server = createServer(async (request, response) => {
    const sent = await buffer(request).catch(() => undefined)
    // The client was killed.
    if (!sent) return
    await before?.(request)
    const { status, code, body } = respond(directory, request, sent)
    response.writeHead(status, { 'content-type': code === undefined ? 'application/octet-stream' : 'application/xml' })
    response.end(
      code === undefined ? body : `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: given } = server.address() as AddressInfo
  return {
    port: given,
    /** The setting `FILES_URL`, without a prefix. */
    url: addressOf(given, KEY_ID, SECRET),
    /** The same setting with an unknown key id, and with a wrong secret. */
    forged: [addressOf(given, 'STRANGER', SECRET), addressOf(given, KEY_ID, 'guessed')],
    async close(): Promise<void> {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

const addressOf = (port: number, keyId: string, secret: string) =>
  `s3+http://${keyId}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${BUCKET}?region=${REGION}`

interface Answer {
  status: number
  /** S3's error code. */
  code?: string
  body?: Buffer
}

function respond(directory: string, request: IncomingMessage, body: Buffer): Answer {
  const refused = refusal(request, body)
  if (refused) return refused
  const [path, query] = request.url!.split('?') as [string, string?]
  const [bucket, ...rest] = path.slice(1).split('/').map(decodeURIComponent)
  if (bucket !== BUCKET) return { status: 404, code: 'NoSuchBucket' }
  const file = join(directory, encodeURIComponent(rest.join('/')))
  const asked = new URLSearchParams(query)
  if (request.method === 'GET' && rest.join('') === '' && asked.get('list-type') === '2') return list(directory, asked)
  if (query !== undefined || rest.length === 0) return { status: 501, code: 'NotImplemented' }
  switch (request.method) {
    case 'PUT':
      writeFileSync(file, body)
      return { status: 200 }
    case 'GET':
      return existsSync(file) ? { status: 200, body: readFileSync(file) } : { status: 404, code: 'NoSuchKey' }
    case 'DELETE':
      rmSync(file, { force: true })
      return { status: 204 }
    default:
      return { status: 501, code: 'NotImplemented' }
  }
}

/** Page size of lists: small, so that every list in a test takes several pages. */
const PAGE = 5

function list(directory: string, asked: URLSearchParams): Answer {
  const names = readdirSync(directory)
    .map(decodeURIComponent)
    .filter((name) => name.startsWith(asked.get('prefix') ?? ''))
    .sort()
  const from = Number(asked.get('continuation-token') ?? 0)
  const next = from + PAGE < names.length ? from + PAGE : undefined
  const contents = names.slice(from, from + PAGE).map((name) => `<Contents><Key>${name}</Key><Size>1</Size></Contents>`)
  const more = next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`
  return {
    status: 200,
    body: Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${contents.join('')}${more}</ListBucketResult>`,
    ),
  }
}

function refusal({ method, url, headers }: IncomingMessage, body: Buffer): Answer | undefined {
  const authorization = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), ?SignedHeaders=(\S+), ?Signature=(\S+)$/.exec(
    headers.authorization ?? '',
  )
  if (!authorization) return { status: 403, code: 'AccessDenied' }
  const [keyId, scope, names, signature] = authorization.slice(1) as [string, string, string, string]
  const signed = names.split(';')
  const sent = headers as Record<string, string>
  const date = sent['x-amz-date'] ?? ''
  const checksum = sent['x-amz-content-sha256']
  if (keyId !== KEY_ID) return { status: 403, code: 'InvalidAccessKeyId' }
  if (scope !== `${date.slice(0, 8)}/${REGION}/s3/aws4_request`)
    return { status: 400, code: 'AuthorizationHeaderMalformed' }
  if (!['host', 'x-amz-content-sha256', 'x-amz-date'].every((name) => signed.includes(name)))
    return { status: 403, code: 'AccessDenied' }
  const sentAt = Date.parse(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'))
  if (!(Math.abs(Date.now() - sentAt) < MAX_SKEW_MS)) return { status: 403, code: 'RequestTimeTooSkewed' }
  if (signatureOf({ method: method!, path: url!, headers: sent, signed, scope, secret: SECRET }) !== signature)
    return { status: 403, code: 'SignatureDoesNotMatch' }
  if (checksum !== 'UNSIGNED-PAYLOAD' && checksum !== sha256(body))
    return { status: 400, code: 'XAmzContentSHA256Mismatch' }
  return undefined
}

/** What a signature covers (AWS Signature Version 4). */
interface Signed {
  method: string
  path: string
  headers: Record<string, string>
  /** The names of the signed headers, in the order of the signature. */
  signed: string[]
  /** `day/region/service/aws4_request`. */
  scope: string
  secret: string
}

/** Returns the signature that S3 computes for a request. */
export function signatureOf({ method, path, headers, signed, scope, secret }: Signed): string {
  const lines = signed.map((name) => `${name}:${headers[name]}`)
  const [plain, query = ''] = path.split('?') as [string, string?]
  const sorted = query.split('&').sort().join('&')
  const request = [method, plain, sorted, ...lines, '', signed.join(';'), headers['x-amz-content-sha256']].join('\n')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(request)].join('\n')
  const key = scope.split('/').reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secret}`)
  return hmac(key, text).toString('hex')
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
