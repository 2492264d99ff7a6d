import type { FastifyInstance } from 'fastify'
import { PUBLIC_PAGES } from '#contract/site.ts'

/** Pages that don't belong in search results: those that need a session, and those for machines. */
const CLOSED = [
  '/user',
  '/auth',
  '/desk',
  '/api',
  '/mailbox',
  '/verify-email',
  '/stop-factor-reset',
  '/not-my-account',
  '/change-email',
  '/not-my-change',
  '/not-my-sign-in',
  '/keep-account',
]

/** Serves what search engines read: the list of public pages, and which paths to skip. */
export function serveSitemap(app: FastifyInstance, publicUrl: () => string): void {
  app.get('/sitemap.xml', (_request, reply) => {
    const urls = PUBLIC_PAGES.map((path) => `  <url><loc>${escapeXml(publicUrl() + path)}</loc></url>`)
    return reply
      .type('application/xml; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(
        `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls.join('\n')}\n</urlset>\n`,
      )
  })
  app.get('/robots.txt', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(
        `User-agent: *\n${CLOSED.map((place) => `Disallow: ${place}`).join('\n')}\n\nSitemap: ${publicUrl()}/sitemap.xml\n`,
      ),
  )
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
