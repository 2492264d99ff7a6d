import type { FastifyInstance } from 'fastify'

/** Pages that a long press on the app's icon offers. */
const SHORTCUTS = [
  { name: 'Trade', url: '/user/home' },
  { name: 'Trade history', url: '/user/trade-history' },
  { name: 'Alerts', url: '/user/alerts' },
  { name: 'Deposit', url: '/user/deposit' },
]

const icon = (size: number, purpose: 'any' | 'maskable') => ({
  src: `/icon-${purpose === 'maskable' ? 'maskable-' : ''}${size}.png`,
  sizes: `${size}x${size}`,
  type: 'image/png',
  purpose,
})

/** The web app manifest, for installing the site as an app: the operator's name, icons, pictures and shortcuts. */
export function serveManifest(app: FastifyInstance, brand: string): void {
  const manifest = {
    // Stays the same when the first page changes: it says which app this is.
    id: '/user/home',
    name: brand,
    short_name: brand,
    description: 'Timed trades at prices that anyone can check.',
    lang: 'en',
    dir: 'ltr',
    categories: ['finance'],
    start_url: '/user/home',
    scope: '/',
    display: 'standalone',
    background_color: '#0a0d13',
    theme_color: '#0a0d13',
    icons: [192, 512].flatMap((size) => [icon(size, 'any'), icon(size, 'maskable')]),
    screenshots: [
      { form_factor: 'wide', sizes: '1600x1000', label: 'The trading screen on a computer' },
      { form_factor: 'narrow', sizes: '640x1385', label: 'The trading screen on a phone' },
    ].map((shot) => ({ src: `/screens/trading-${shot.form_factor}.webp`, type: 'image/webp', ...shot })),
    shortcuts: SHORTCUTS.map((shortcut) => ({ ...shortcut, icons: [icon(192, 'any')] })),
  }
  app.get('/site.webmanifest', (_request, reply) =>
    reply.type('application/manifest+json').header('cache-control', 'public, max-age=3600').send(manifest),
  )
}
