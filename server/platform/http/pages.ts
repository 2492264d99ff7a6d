import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isScreen } from '#contract/screens.ts'
import { first, must } from '#kernel/must.ts'
import { escapeHtml } from './openapi.ts'

interface Page {
  policy: string
  tag: string
  /** The page's bytes, in each content encoding. */
  bodies: Record<'br' | 'gzip' | 'identity', Buffer>
}

interface PagesOptions {
  /** Inserts the operator's texts into a page; called once per page, when it is first requested. */
  fill: (html: string) => string
  /** What every page shows above everything else now; undefined if nothing. */
  notice?: () => string | undefined
  /** The origins that the page at an address may embed. */
  frames: (address: string) => readonly string[]
}

/** How built files are served: names with a hash are cached for a year. Pages are served separately. */
const AS_FILES: Omit<FastifyStaticOptions, 'root'> = {
  wildcard: false,
  index: false,
  // Pages are filled in, robots.txt is written by the server, and compressed files are served in place of their
  // originals.
  globIgnore: ['**/*.html', '**/*.br', '**/*.gz', 'robots.txt'],
  preCompressed: true,
  cacheControl: false,
  setHeaders(reply, path) {
    reply.header('cache-control', cacheOf(path))
    // What it loads: the page without a network.
    if (isServiceWorker(path)) reply.header('content-security-policy', "default-src 'self'")
  },
}

const isServiceWorker = (path: string) => /\/service-worker\.js(\.br|\.gz)?$/.test(path)

function cacheOf(path: string): string {
  if (path.includes('/assets/')) return 'public, max-age=31536000, immutable'
  return isServiceWorker(path) ? 'no-cache' : 'public, max-age=3600'
}

/** Paths below which the app renders every screen in the browser, from one page; also the 'not found' page. */
const APP_PATHS =
  /^\/(auth|user|verify-email|stop-factor-reset|not-my-account|change-email|not-my-change|not-my-sign-in|keep-account)(\/|$)/

/**
 * Serves the built web app and the desk (`client` and `desk` below `build`): files are cached for a year (their names
 * contain a hash), pages are always revalidated, each with a policy that allows exactly its own inline scripts and
 * styles. Unknown addresses get the page `/404` with that status.
 */
export async function servePages(
  app: FastifyInstance,
  build: string,
  { fill, frames, notice }: PagesOptions,
): Promise<void> {
  const folder = join(build, 'client')
  if (!existsSync(folder)) return
  const pages = new Map(
    htmlFiles(folder).map((file) => {
      const address = addressOf(relative(folder, file))
      return [
        address,
        withNotice((shown) => toPage(file, (html) => showNotice(fill(html), shown), frames(address)), notice),
      ]
    }),
  )
  const appPage = pages.get('/__spa-fallback')
  const noSuchPage = pages.get('/404')
  pages.delete('/404')
  pages.delete('/__spa-fallback')

  await app.register(fastifyStatic, { root: folder, ...AS_FILES })
  // The desk is a separate build: one page for all its routes, and none of its files are in the site's build.
  const deskFolder = join(build, 'desk')
  const deskPage = existsSync(deskFolder)
    ? withNotice(() => toPage(join(deskFolder, 'index.html'), fill, []))
    : undefined
  if (deskPage) {
    await app.register(fastifyStatic, { root: deskFolder, prefix: '/desk/', decorateReply: false, ...AS_FILES })
  }

  app.route({
    method: ['GET', 'HEAD'],
    url: '/*',
    handler: (request, reply) => {
      const path = first(request.url.split('?')).replace(/(?<=.)\/$/, '')
      if (path === '/api' || path.startsWith('/api/')) return reply.callNotFound()
      if (path === '/desk' || path.startsWith('/desk/')) {
        return deskPage && !path.startsWith('/desk/assets/')
          ? sendPage(request, reply, deskPage, 200)
          : reply.callNotFound()
      }
      const page = pages.get(path)
      if (page) return sendPage(request, reply, page, 200)
      if (appPage && APP_PATHS.test(path)) {
        const isThere = !/^\/(auth|user)(\/|$)/.test(path) || isScreen(path)
        return sendPage(request, reply, appPage, isThere ? 200 : 404)
      }
      return noSuchPage ? sendPage(request, reply, noSuchPage, 404) : reply.callNotFound()
    },
  })
}

function sendPage(request: FastifyRequest, reply: FastifyReply, page: () => Page, status: number) {
  const { bodies, policy, tag } = page()
  const packing = packingFor(String(request.headers['accept-encoding'] ?? ''))
  const etag = `"${tag}-${packing}"`
  reply.headers({
    'content-security-policy': policy,
    'cache-control': 'no-cache',
    etag,
    vary: 'accept-encoding',
  })
  if (status === 200 && request.headers['if-none-match'] === etag) return reply.code(304).send()
  if (packing !== 'identity') reply.header('content-encoding', packing)
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .send(request.method === 'HEAD' ? null : bodies[packing])
}

function htmlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.html'))
    .map((entry) => join(entry.parentPath, entry.name))
}

const addressOf = (file: string) => `/${file.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')}`

/** Returns a function that makes a page on first use, and again when what every page shows has changed. */
function withNotice(make: (shown: string | undefined) => Page, notice?: () => string | undefined): () => Page {
  let made: { page: Page; shown: string | undefined } | undefined
  return () => {
    const shown = notice?.()
    if (!made || made.shown !== shown) made = { page: make(shown), shown }
    return made.page
  }
}

/** Puts the notice first in the page, where the app's script finds it again (`web/api/maintenance.ts`). */
const showNotice = (html: string, shown: string | undefined): string =>
  shown === undefined
    ? html
    : html.replace(/<body[^>]*>/, (body) => `${body}<p role="status" data-maintenance>${escapeHtml(shown)}</p>`)

function packingFor(accepted: string): 'br' | 'gzip' | 'identity' {
  if (/\bbr\b/.test(accepted)) return 'br'
  return /\bgzip\b/.test(accepted) ? 'gzip' : 'identity'
}

/**
 * Pages are compressed while the first visitor waits: 11, as the build does it for files, takes 64 ms for the home page
 * and 10 takes 24 ms. With 9 it wouldn't fit into the first ten packets, which costs phones a round trip.
 */
const PAGE_QUALITY = 10

const hashesOf = (html: string, inline: RegExp): string =>
  [...html.matchAll(inline)]
    .map((match) => `'sha256-${createHash('sha256').update(must(match[1])).digest('base64')}'`)
    .join(' ')

function toPage(file: string, fill: (html: string) => string, frames: readonly string[]): Page {
  const html = fill(readFileSync(file, 'utf8'))
  const scripts = hashesOf(html, /<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)
  const styles = hashesOf(html, /<style[^>]*>([\s\S]*?)<\/style>/g)
  const policy = [
    "default-src 'self'",
    `script-src 'self' ${scripts}`.trim(),
    `style-src 'self' ${styles}`.trim(),
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${frames.length === 0 ? "'none'" : frames.join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')
  const identity = Buffer.from(html)
  return {
    policy,
    tag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    bodies: {
      identity,
      gzip: gzipSync(identity, { level: 9 }),
      br: brotliCompressSync(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: PAGE_QUALITY } }),
    },
  }
}
