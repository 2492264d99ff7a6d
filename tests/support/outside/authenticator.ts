import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** The subset of CBOR that an attestation needs (RFC 8949): integers, byte strings, texts, maps. */
type Cbor = number | string | Buffer | [Cbor, Cbor][]
function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return Buffer.concat([head(5, value.length), ...value.flatMap(([key, item]) => [cbor(key), cbor(item)])])
}
function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size])
  return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 255])
}

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest()
const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const KEY_INCLUDED = 0x40

/** Creates a software security key that responds like a browser, to test the server's side of passkeys. */
export function softwareKey(origin = 'http://localhost:3000', host = 'localhost') {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(32)
  let counter = 0
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const authData = (flags: number, more: Buffer = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(host), Buffer.from([flags]), count, more])
  }
  return {
    /** Returns what `navigator.credentials.create` returns. */
    create({ challenge }: { challenge: string }) {
      const { x, y } = publicKey.export({ format: 'jwk' }) as { x: string; y: string }
      const key = cbor([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ])
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key])
      const attestation = cbor([
        ['fmt', 'none'],
        ['attStmt', []],
        ['authData', authData(USER_PRESENT | USER_VERIFIED | KEY_INCLUDED, attested)],
      ])
      return {
        id: id.toString('base64url'),
        rawId: id.toString('base64url'),
        type: 'public-key' as const,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: attestation.toString('base64url'),
          transports: ['usb'],
        },
      }
    },
    /** Returns what `navigator.credentials.get` returns. */
    get({ challenge }: { challenge: string }) {
      counter++
      const client = clientData('webauthn.get', challenge)
      const data = authData(USER_PRESENT | USER_VERIFIED)
      return {
        id: id.toString('base64url'),
        rawId: id.toString('base64url'),
        type: 'public-key' as const,
        clientExtensionResults: {},
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey).toString('base64url'),
        },
      }
    },
  }
}
