import { Secret, TOTP } from 'otpauth'

/** Returns the code of a moment, as an authenticator shows it. */
export const totpCode = (secret: string, nowMs = Date.now()): string =>
  new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) }).generate({
    timestamp: nowMs,
  })
