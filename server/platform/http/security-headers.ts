import type { FastifyInstance } from 'fastify'

/** Headers of every response. A handler may set others; pages add a content security policy. */
const HEADERS = {
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

/** Adds the security headers to every response. With `tls`, browsers are asked to stay on it. */
export function addSecurityHeaders(app: FastifyInstance, tls: boolean): void {
  const headers = tls ? { ...HEADERS, ...TLS_HEADERS } : HEADERS
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers)
    done()
  })
}
