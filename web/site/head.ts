import type { MetaDescriptor } from 'react-router'
import { ORIGIN, type PublicPage } from '#contract/site.ts'
import { figure, titled } from '#web/ui/index.ts'

interface Head {
  path: PublicPage
  /** Without the brand, which is appended; at most about 55 characters. */
  title: string
  /** One or two sentences, 70 to 160 characters. */
  description: string
  /** The page's name in the breadcrumb; defaults to the title. */
  name?: string
  /** Replaces the page's own picture in link previews: `/og/NAME.png`. */
  picture?: string
  /** Additional schema.org structured data, besides the breadcrumb. */
  structured?: Record<string, unknown>[]
}

/** Returns the tags for a page's head: title, description, canonical address, link preview, structured data. */
export function siteHead({ path, title, description, name, picture, structured = [] }: Head): MetaDescriptor[] {
  const fullTitle = path === '/' ? title : titled(title)
  const address = `${ORIGIN}${path}`
  const image = `${ORIGIN}${picture ?? `/og/${path === '/' ? 'home' : path.slice(1)}.png`}`
  return [
    { title: fullTitle },
    { name: 'description', content: description },
    { tagName: 'link', rel: 'canonical', href: address },
    { property: 'og:type', content: 'website' },
    { property: 'og:site_name', content: figure('brand') },
    { property: 'og:title', content: fullTitle },
    { property: 'og:description', content: description },
    { property: 'og:url', content: address },
    { property: 'og:image', content: image },
    { property: 'og:image:width', content: '1200' },
    { property: 'og:image:height', content: '630' },
    { property: 'og:image:alt', content: title },
    { name: 'twitter:card', content: 'summary_large_image' },
    ...[...(path === '/' ? [organisation(), website()] : [breadcrumb(path, name ?? title)]), ...structured].map(
      (data) => ({
        'script:ld+json': { '@context': 'https://schema.org', ...data },
      }),
    ),
  ]
}

/** Returns the head of the page for unknown addresses. */
export const notFoundHead = (): MetaDescriptor[] => [
  { title: titled('Page not found') },
  { name: 'robots', content: 'noindex' },
  { name: 'description', content: 'There is no page at this address.' },
]

const organisation = () => ({
  '@type': 'Organization',
  name: figure('brand'),
  url: `${ORIGIN}/`,
  logo: `${ORIGIN}/icon-512.png`,
  contactPoint: {
    '@type': 'ContactPoint',
    contactType: 'customer support',
    telephone: figure('phone'),
    email: figure('email'),
  },
})

const website = () => ({ '@type': 'WebSite', name: figure('brand'), url: `${ORIGIN}/` })

const breadcrumb = (path: PublicPage, name: string) => ({
  '@type': 'BreadcrumbList',
  itemListElement: [
    { '@type': 'ListItem', position: 1, name: 'Home', item: `${ORIGIN}/` },
    { '@type': 'ListItem', position: 2, name, item: `${ORIGIN}${path}` },
  ],
})
