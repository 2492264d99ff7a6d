import type { FastifyReply } from 'fastify'

const PREFIX = '__Host-'

interface CookieOptions {
  path: string
  maxAgeSeconds?: number | undefined
}

/** Cookies of ours: no script reads them, and no other site sends them. */
interface Cookies {
  /** Returns the cookies of a request by their own names. */
  read(cookies: Record<string, string | undefined>): Record<string, string | undefined>
  set(reply: FastifyReply, name: string, value: string, options: CookieOptions): void
  clear(reply: FastifyReply, name: string, options: CookieOptions): void
}

/**
 * Over TLS, cookies are named `__Host-…`: browsers accept those from this host only, with its whole path, so that no other
 * host of the domain and no plain connection can plant one. A cookie that a version before set has the bare name: it is
 * still read, and removed as soon as its successor is set. Without TLS, browsers refuse the prefix.
 */
export function hostCookies(tls: boolean): Cookies {
  const fixed = { httpOnly: true, sameSite: 'strict', secure: tls } as const
  return {
    read(cookies) {
      if (!tls) return cookies
      const own = { ...cookies }
      for (const [name, value] of Object.entries(cookies))
        if (name.startsWith(PREFIX)) own[name.slice(PREFIX.length)] = value
      return own
    },
    set(reply, name, value, { path, maxAgeSeconds }) {
      const age = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }
      if (!tls) return void reply.setCookie(name, value, { ...fixed, path, ...age })
      reply.setCookie(`${PREFIX}${name}`, value, { ...fixed, path: '/', ...age })
      if (name in reply.request.cookies) reply.clearCookie(name, { ...fixed, path })
    },
    clear(reply, name, { path }) {
      reply.clearCookie(name, { ...fixed, path })
      if (tls) reply.clearCookie(`${PREFIX}${name}`, { ...fixed, path: '/' })
    },
  }
}
