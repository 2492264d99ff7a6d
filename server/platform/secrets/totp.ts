import { Secret, TOTP } from 'otpauth'

/** Authenticator app codes: SHA-1, six digits, 30 s, as every such app expects. */
const PERIOD_SECONDS = 30
const of = (secret: string) =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) })

/** Generates a new 160-bit secret, base32. */
export const newTotpSecret = (): string => new Secret({ size: 20 }).base32

/** Returns the content of the QR code: `otpauth://totp/…`. */
export const otpauthUrl = (secret: string, issuer: string, account: string): string =>
  new TOTP({
    issuer,
    label: account,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  }).toString()

/**
 * Returns which period a code belongs to, now or one period to either side; undefined if it is invalid. A code works
 * once: the caller stores the number of the last one used and accepts only greater ones.
 */
export function totpStep(secret: string, uncheckedCode: string, nowMs: number): number | undefined {
  const code = uncheckedCode.replaceAll(/\s/g, '')
  if (!/^\d{6}$/.test(code)) return undefined
  const delta = of(secret).validate({ token: code, timestamp: nowMs, window: 1 })
  return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta
}
