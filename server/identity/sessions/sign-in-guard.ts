import { Problem } from '#contract/problem.ts'
import { MINUTE_MS } from '#kernel/time.ts'
import type { RateLimits } from '../../platform/http/limits/rate-limit.ts'

/** The origin of a sign-in. */
export interface SignInOrigin {
  network: string
  /** The account's device that its cookie proves; undefined for a stranger's. */
  device: string | undefined
  /** The account's e-mailed link that was presented, if any. */
  link: string | undefined
}

/**
 * Limits wrong passwords and codes so that guessing is hopeless and nobody can lock an owner out. An attempt counts
 * before it is checked, by account and origin: a known device or an e-mailed link has its own counter, strangers share
 * one per network. Past any of the strangers' limits, a link is needed: the owner may be on the same network.
 */
interface SignInGuard {
  /**
   * Counts an attempt. Returns a function that uncounts it after success. Throws `sign_in_link_required`, and
   * `too_many_requests` for a known device or a link that has used up its own attempts.
   */
  begin(account: string, origin: SignInOrigin): () => void
}

const WINDOW_MS = 15 * MINUTE_MS
const TRY_LATER = 'Too many attempts. Wait a while and try again.'

interface Bounds {
  /** By account and device, link or network. */
  perOrigin: number
  /** All accounts of a network together. */
  perNetwork: number
  /** All strangers to an account together. */
  perAccount: number
}

export function signInGuard(
  limits: RateLimits,
  name: string,
  { perOrigin, perNetwork, perAccount }: Bounds,
): SignInGuard {
  const limit = (by: string, max: number) =>
    limits(`${name} by ${by}`, { max, windowMs: WINDOW_MS, message: TRY_LATER })
  const ofOrigin = limit('origin', perOrigin)
  // A full limiter refuses new keys: strangers must not be able to fill the one of known devices and links.
  const ofProven = limit('device or link', perOrigin)
  const ofNetwork = limit('network', perNetwork)
  const ofStrangers = limit('account', perAccount)

  return {
    begin(account, { network, device, link }) {
      const key = JSON.stringify([account, link ?? device ?? network])
      if (link !== undefined || device !== undefined) {
        ofProven.take(key)
        return () => ofProven.refund(key)
      }
      try {
        ofNetwork.check(network)
        ofOrigin.check(key)
        ofStrangers.check(account)
      } catch {
        throw linkRequired()
      }
      ofStrangers.count(account)
      ofNetwork.count(network)
      ofOrigin.count(key)
      return () => {
        ofStrangers.refund(account)
        ofNetwork.refund(network)
        ofOrigin.refund(key)
      }
    },
  }
}

const linkRequired = () =>
  new Problem(
    'sign_in_link_required',
    "There were too many failed attempts to sign in. We've e-mailed you a link. Open it to sign in on this device.",
  )
