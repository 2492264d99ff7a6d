import type { FastifyInstance } from 'fastify'

/** The web app manifest, for installing the site as an app: the operator's name and the icons. */
export function serveManifest(app: FastifyInstance, brand: string): void {
  const manifest = {
    name: brand,
    short_name: brand,
    start_url: '/user/home',
    display: 'standalone',
    background_color: '#0a0d13',
    theme_color: '#0a0d13',
    icons: [192, 512].map((size) => ({ src: `/icon-${size}.png`, sizes: `${size}x${size}`, type: 'image/png' })),
  }
  app.get('/site.webmanifest', (_request, reply) =>
    reply.type('application/manifest+json').header('cache-control', 'public, max-age=3600').send(manifest),
  )
}
