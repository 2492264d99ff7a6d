import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import helmet from '@fastify/helmet'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

interface Page {
  html: Buffer
  policy: string
}

/** How built files are served: those whose names carry a hash for a year. Pages go another way. */
const AS_FILES: Omit<FastifyStaticOptions, 'root'> = {
  wildcard: false,
  index: false,
  globIgnore: ['**/*.html'],
  cacheControl: false,
  setHeaders(reply, path) {
    reply.header(
      'cache-control',
      path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
    )
  },
}

/** Paths below which the app draws every screen in the browser, from one page. */
const APP_PATHS = /^\/(auth|user|verify-email)(\/|$)/

/**
 * Serves the built web app and the desk (`client` and `desk` below `build`): files for a year (their names carry a hash), its pages afresh each time, each with a
 * policy that lets exactly its own inline scripts run. Unknown addresses get the app's page with status 404.
 */
export async function servePages(app: FastifyInstance, build: string, options: { tls: boolean }): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: false,
    strictTransportSecurity: options.tls,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'strict-origin-when-cross-origin' },
  })
  const folder = join(build, 'client')
  if (!existsSync(folder)) return
  const pages = new Map(
    htmlFiles(folder).map((file) => [addressOf(relative(folder, file)), toPage(readFileSync(file))]),
  )
  const appPage = pages.get('/__spa-fallback') ?? pages.get('/')

  await app.register(fastifyStatic, { root: folder, ...AS_FILES })
  // The desk is another build: one page for all its places, and no file of it in the site's.
  const deskFolder = join(build, 'desk')
  const deskPage = existsSync(deskFolder) ? toPage(readFileSync(join(deskFolder, 'index.html'))) : undefined
  if (deskPage) {
    await app.register(fastifyStatic, { root: deskFolder, prefix: '/desk/', decorateReply: false, ...AS_FILES })
  }

  const sendPage = (request: FastifyRequest, reply: FastifyReply, page: Page, status: number) =>
    reply
      .code(status)
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': page.policy,
        'cache-control': 'no-cache',
      })
      .send(request.method === 'HEAD' ? null : page.html)

  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler: (request, reply) => {
      const path = request.url.split('?')[0]!.replace(/(?<=.)\/$/, '')
      if (path === '/api' || path.startsWith('/api/')) return reply.callNotFound()
      if (path === '/desk' || path.startsWith('/desk/')) {
        return deskPage && !path.startsWith('/desk/assets/')
          ? sendPage(request, reply, deskPage, 200)
          : reply.callNotFound()
      }
      const page = pages.get(path)
      if (page) return sendPage(request, reply, page, 200)
      if (!appPage) return reply.callNotFound()
      return sendPage(request, reply, appPage, APP_PATHS.test(path) ? 200 : 404)
    },
  })
}

function htmlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const addressOf = (file: string) => `/${file.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')}`

function toPage(html: Buffer): Page {
  const hashes = [...html.toString('utf8').matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    (match) => `'sha256-${createHash('sha256').update(match[1]!).digest('base64')}'`,
  )
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${hashes.join(' ')}`.trim(),
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')
  return { html, policy }
}
