import type { FastifyInstance } from 'fastify'

/** Headers of every response. A handler may set others; pages have a content security policy of their own. */
const HEADERS = {
  // What isn't a page loads nothing and can't be framed.
  'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-dns-prefetch-control': 'off',
  'x-permitted-cross-domain-policies': 'none',
}
const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

/** Returns the headers of every response. With `tls`, browsers are asked to stay on it. */
export const securityHeaders = (tls: boolean): Record<string, string> =>
  tls ? { ...HEADERS, ...TLS_HEADERS } : HEADERS

/** Adds the security headers to every response. Call it before hooks that may refuse a request. */
export function addSecurityHeaders(app: FastifyInstance, tls: boolean): void {
  const headers = securityHeaders(tls)
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
