import { randomBytes } from 'node:crypto'
import { first, must } from '#kernel/must.ts'

/** The object identifier of sha256. */
const SHA256 = '2.16.840.1.101.3.4.2.1'
const PATIENCE_MS = 15_000
const RESPONSE_MAX_BYTES = 65_536
/** The statuses of a response that holds a time stamp: granted, and granted with changes. */
const GRANTED = [0, 1]

interface TimeStamp {
  /** The time that the authority certifies. */
  at: Date
  /** The authority's whole response, as `openssl ts -verify -in` reads it. */
  response: Buffer
}

/**
 * Has a time-stamp authority certify that a sha256 digest exists now (RFC 3161). Throws if it doesn't answer, refuses, or
 * certifies anything else. The authority's signature is not checked here: anyone who relies on the time stamp does that
 * against the authority's certificate.
 */
export async function requestTimeStamp(url: string, digest: Buffer): Promise<TimeStamp> {
  const nonce = randomBytes(8)
  // A positive number without leading zeros, so that it comes back as it was sent.
  nonce[0] = (first(nonce) & 0x7f) | 0x40
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: await queryFor(digest, nonce),
    redirect: 'error',
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  if (!reply.ok) throw new Error(`the time-stamp authority answered ${reply.status}`)
  const response = await bytesOf(reply)
  const { at, ...stamped } = await readResponse(response)
  if (!stamped.digest.equals(digest) || !stamped.nonce.equals(nonce))
    throw new Error('the time-stamp authority certified something else')
  return { at, response }
}

/** The libraries are loaded by the first request: most installations ask no authority. */
const libraries = async () => {
  const [schema, tsp, x509, cms] = await Promise.all([
    import('@peculiar/asn1-schema'),
    import('@peculiar/asn1-tsp'),
    import('@peculiar/asn1-x509'),
    import('@peculiar/asn1-cms'),
  ])
  return { ...schema, ...tsp, ...x509, ...cms }
}

async function queryFor(digest: Buffer, nonce: Buffer): Promise<ArrayBuffer> {
  const { AsnConvert, OctetString, TimeStampReq, TimeStampReqVersion, MessageImprint, AlgorithmIdentifier } =
    await libraries()
  const query = new TimeStampReq({
    version: TimeStampReqVersion.v1,
    messageImprint: new MessageImprint({
      hashAlgorithm: new AlgorithmIdentifier({ algorithm: SHA256, parameters: null }),
      hashedMessage: new OctetString(digest),
    }),
    nonce: new Uint8Array(nonce).buffer,
    certReq: true,
  })
  return AsnConvert.serialize(query)
}

async function readResponse(response: Buffer): Promise<{ at: Date; digest: Buffer; nonce: Buffer }> {
  const { AsnConvert, TimeStampResp, SignedData, TSTInfo } = await libraries()
  const { status, timeStampToken } = AsnConvert.parse(response, TimeStampResp)
  if (!GRANTED.includes(status.status) || !timeStampToken)
    throw new Error(`the time-stamp authority refused with status ${status.status}`)
  const { encapContentInfo } = AsnConvert.parse(timeStampToken.content, SignedData)
  const info = AsnConvert.parse(must(must(encapContentInfo.eContent).single).buffer, TSTInfo)
  return {
    at: info.genTime,
    digest: Buffer.from(info.messageImprint.hashedMessage.buffer),
    nonce: Buffer.from(info.nonce ?? new ArrayBuffer(0)),
  }
}

async function bytesOf(reply: Response): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of reply.body ?? []) {
    size += piece.length
    if (size > RESPONSE_MAX_BYTES) throw new Error('the time-stamp authority sends too much')
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
