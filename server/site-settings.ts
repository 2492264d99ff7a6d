import type { Config } from './config.ts'
import { escapeHtml } from './platform/mail/index.ts'

type SiteSettings = Pick<Config, 'CHAT_URL' | 'WIDGETS' | 'WIDGETS_ORIGIN'>

/** The settings that stand in the built pages: which chat, and whose charts. */
export const fillSettings = (html: string, { CHAT_URL, WIDGETS, WIDGETS_ORIGIN }: SiteSettings): string =>
  html
    .replaceAll('{{chatUrl}}', escapeHtml(CHAT_URL ?? ''))
    .replaceAll('{{widgets}}', WIDGETS)
    .replaceAll('{{widgetsOrigin}}', escapeHtml(new URL(WIDGETS_ORIGIN).origin))

const WITH_WIDGETS: readonly string[] = ['/financial-instruments', '/live-payouts']

/** Whose pages may be shown within one of ours: the charts of a third party where they are on, nobody elsewhere. */
export const framesOf = (address: string, { WIDGETS, WIDGETS_ORIGIN }: SiteSettings): readonly string[] =>
  WIDGETS !== 'native' && WITH_WIDGETS.includes(address) ? [new URL(WIDGETS_ORIGIN).origin] : []
