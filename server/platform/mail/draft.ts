import type { Mail } from './outbox.ts'

/** The content of an e-mail, before it is rendered as text and HTML. All of it may be user text: it is escaped here. */
export interface MailDraft {
  to: string
  subject: string
  paragraphs: string[]
  /** A short table of labels and values below the paragraphs. */
  facts?: (readonly [label: string, value: string])[]
  /** Paragraphs below the table. */
  remarks?: string[]
  /** The call to action. */
  action?: { label: string; url: string }
  /** Small print below the button. */
  after?: string[]
  /** Another way, as a plain link below the small print. */
  other?: { label: string; url: string }
  /** Which of the recipient's budgets it counts against; the default one if omitted. */
  budget?: Mail['budget']
}

/** Renders an e-mail as plain text and as HTML: one narrow column, no images, no external resources. */
export function composeMail(draft: MailDraft, brand: string): Mail {
  const { action, other, paragraphs, facts = [], remarks = [], after = [] } = draft
  const text = [
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}: ${value}`).join('\n')] : []),
    ...remarks,
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...after,
    ...(other ? [`${other.label}:\n${other.url}`] : []),
    brand,
  ].join('\n\n')
  const paragraph = (words: string, style = '') => `<p style="margin:0 0 16px;${style}">${escapeHtml(words)}</p>`
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escapeHtml(draft.subject)}</title></head>`,
    '<body style="margin:0;padding:24px;background:#f4f6f8;color:#17202b;font:16px/1.5 system-ui,sans-serif">',
    '<div style="max-width:520px;margin:0 auto;padding:32px;background:#fff;border-radius:12px">',
    `<p style="margin:0 0 24px;font-weight:600">${escapeHtml(brand)}</p>`,
    ...paragraphs.map((words) => paragraph(words)),
    ...(facts.length > 0 ? [tableOf(facts)] : []),
    ...remarks.map((words) => paragraph(words)),
    ...(action
      ? [
          `<p style="margin:0 0 24px"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:12px 20px;`,
          `border-radius:8px;background:#0b5c4a;color:#fff;text-decoration:none;font-weight:600">${escapeHtml(action.label)}</a></p>`,
          paragraph("If the button doesn't work, copy this link into your browser:", 'color:#52606d;font-size:14px'),
          paragraph(action.url, 'color:#52606d;font-size:14px;word-break:break-all'),
        ]
      : []),
    ...after.map((words) => paragraph(words, 'color:#52606d;font-size:14px')),
    ...(other
      ? [
          `<p style="margin:0;font-size:14px"><a href="${escapeHtml(other.url)}" style="color:#0b5c4a">${escapeHtml(other.label)}</a></p>`,
        ]
      : []),
    '</div></body></html>',
  ].join('')
  return {
    to: draft.to,
    subject: draft.subject,
    text: `${text}\n`,
    html,
    links: [action, other].flatMap((link) => (link ? [link.url] : [])),
    ...(draft.budget ? { budget: draft.budget } : {}),
  }
}

const tableOf = (facts: NonNullable<MailDraft['facts']>): string =>
  [
    '<table style="width:100%;margin:0 0 16px;border-collapse:collapse">',
    ...facts.map(
      ([label, value]) =>
        `<tr><th scope="row" style="padding:8px 0;border-bottom:1px solid #dfe4ea;color:#52606d;font-weight:400;text-align:left">${escapeHtml(label)}</th>` +
        `<td style="padding:8px 0;border-bottom:1px solid #dfe4ea;text-align:right">${escapeHtml(value)}</td></tr>`,
    ),
    '</table>',
  ].join('')

/** Escapes user text for HTML content or an attribute value. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
