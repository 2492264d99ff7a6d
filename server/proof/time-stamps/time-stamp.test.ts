import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { HAS_OPENSSL, startAuthority } from '#tests/support/outside/time-stamp-authority.ts'
import { requestTimeStamp } from './time-stamp.ts'

const digest = createHash('sha256').update('a checkpoint').digest()

test.runIf(HAS_OPENSSL)('a time stamp holds for its digest only, as openssl checks it', async () => {
  const authority = await startAuthority()
  const { at, response } = await requestTimeStamp(authority.url, digest)
  expect(Math.abs(Date.now() - at.getTime())).toBeLessThan(60_000)
  expect(authority.accepts(response, digest)).toBe(true)
  expect(authority.accepts(response, randomBytes(32))).toBe(false)
  const changed = Buffer.from(response)
  changed[changed.length - 1]! ^= 1
  expect(authority.accepts(changed, digest)).toBe(false)
})

test.runIf(HAS_OPENSSL)('nothing but a time stamp of what was asked is taken', async () => {
  const authority = await startAuthority()
  const stored: Buffer[] = []
  authority.answer = (response, stamped) => {
    stored.push(stamped)
    response.end(stamped)
  }
  await requestTimeStamp(authority.url, digest)
  const earlier = stored[0]!
  const refused = Buffer.from('30053003020102', 'hex')
  const answers: [RegExp, (typeof authority)['answer']][] = [
    [/certified something else/, (response) => response.end(earlier)],
    [/refused with status 2/, (response) => response.end(refused)],
    [/answered 503/, (response) => response.writeHead(503).end()],
    [/redirect|fetch failed/, (response) => response.writeHead(302, { location: authority.url }).end()],
    [/too much/, (response) => response.end(Buffer.alloc(70_000))],
    [/./, (response, stamped) => response.end(stamped.subarray(0, 100))],
    [/./, (response) => response.end('<html>')],
    [/./, (response) => response.end()],
  ]
  for (const [why, answer] of answers) {
    authority.answer = answer
    await expect(requestTimeStamp(authority.url, digest)).rejects.toThrow(why)
  }
})
