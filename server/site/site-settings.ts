import { MAP } from '#contract/site.ts'
import type { Config } from '../config/config.ts'
import { escapeHtml } from '../platform/mail/index.ts'

type SiteSettings = Pick<Config, 'CHAT_URL' | 'MINORS_WITH_GUARDIAN' | 'WIDGETS' | 'WIDGETS_ORIGIN' | 'PAYOUTS_URL'>

/**
 * The settings embedded in the built pages: which chat, whose charts, whose list of payouts, whether minors are taken,
 * and the HTML of the contact page's map area.
 */
export const fillSettings = (
  html: string,
  { CHAT_URL, MINORS_WITH_GUARDIAN, WIDGETS, WIDGETS_ORIGIN, PAYOUTS_URL }: SiteSettings,
  map = '',
): string =>
  html
    .replaceAll(MAP, () => map)
    .replaceAll('{{chatUrl}}', escapeHtml(CHAT_URL ?? ''))
    .replaceAll(
      '{{minors}}',
      MINORS_WITH_GUARDIAN
        ? 'We take minors on these terms at present.'
        : 'At present we take no minors: registration refuses anyone under 18.',
    )
    .replaceAll('{{widgets}}', WIDGETS)
    .replaceAll('{{widgetsOrigin}}', escapeHtml(new URL(WIDGETS_ORIGIN).origin))
    .replaceAll('{{payouts}}', PAYOUTS_URL === undefined ? 'native' : WIDGETS)
    .replaceAll('{{payoutsUrl}}', escapeHtml(PAYOUTS_URL ?? ''))
    .replaceAll('{{payoutsName}}', PAYOUTS_URL === undefined ? '' : escapeHtml(new URL(PAYOUTS_URL).host))

/** Returns the origins that our pages may embed: third-party charts and payouts where they are on, none elsewhere. */
export function framesOf(address: string, { WIDGETS, WIDGETS_ORIGIN, PAYOUTS_URL }: SiteSettings): readonly string[] {
  if (WIDGETS === 'native') return []
  const charts = new URL(WIDGETS_ORIGIN).origin
  if (address === '/financial-instruments') return [charts]
  if (address !== '/live-payouts') return []
  return PAYOUTS_URL === undefined ? [charts] : [...new Set([charts, new URL(PAYOUTS_URL).origin])]
}
