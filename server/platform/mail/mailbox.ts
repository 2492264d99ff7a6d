import { BlockList } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '#contract/problem.ts'
import type { Db } from '../database/db.ts'
import { escapeHtml } from './draft.ts'
import { type KeptMail, newestMails } from './outbox.ts'

interface MailboxDeps {
  db: Db
  brand: string
  /**
   * Returns whether a `Host` header names this server. A page that rebinds its own name to 127.0.0.1 sends another one.
   */
  isOwnHost(host: string): boolean
  /** Serves clients on other machines too, for a public test installation. */
  servesOthers?: boolean
}

const SHOWN = 100
const CSP =
  "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; img-src 'self'"

/**
 * The inbox of a test installation: the e-mails that the server would have sent, so that new users can click their
 * links without a mail server. Never mounted in production or next to a real mail server. Its links open accounts, so
 * it serves only browsers on this machine that request this server by its own name; anyone else gets a 404.
 */
export function mailboxPlugin(app: FastifyInstance, deps: MailboxDeps): void {
  const mayRead = ({ socket, headers }: FastifyRequest): boolean =>
    deps.isOwnHost(headers.host ?? '') &&
    (deps.servesOthers === true ||
      (isLoopback(socket.remoteAddress) && PROXY_HEADERS.every((name) => headers[name] === undefined)))
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    if (mayRead(request)) return
    reply.callNotFound()
    return reply
  }

  app.get<{ Querystring: Record<string, unknown> }>('/mailbox', { onRequest }, async (request, reply) => {
    const to = filterOf(request.query)
    const mails = await newestMails(deps.db, to, SHOWN)
    guard(reply).header('content-type', 'text/html; charset=utf-8')
    return reply.send(page(mails, to, deps.brand))
  })
  app.get<{ Querystring: Record<string, unknown> }>('/mailbox.json', { onRequest }, async (request, reply) => {
    const mails = await newestMails(deps.db, filterOf(request.query), SHOWN)
    guard(reply).header('content-type', 'application/json; charset=utf-8')
    return reply.send(JSON.stringify(mails))
  })
  app.get('/mailbox.css', { onRequest }, async (_request, reply) => {
    guard(reply).header('content-type', 'text/css; charset=utf-8')
    return reply.send(STYLE)
  })
}

/** A request with one of these came through a proxy, from an unknown origin. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip']

const loopbackAddresses = new BlockList()
loopbackAddresses.addSubnet('127.0.0.0', 8)
loopbackAddresses.addAddress('::1', 'ipv6')

/** The socket's own address decides, never a header. IPv4 may arrive mapped: `::ffff:127.0.0.1`. */
function isLoopback(address = ''): boolean {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  return loopbackAddresses.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4')
}

const guard = (reply: FastifyReply) =>
  reply.headers({
    'cache-control': 'no-store',
    'content-security-policy': CSP,
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })

function filterOf(query: Record<string, unknown>): string | undefined {
  const { to } = query
  if (to === undefined || to === '') return undefined
  if (typeof to !== 'string' || to.length > 254 || to.includes('\0')) {
    throw new Problem('validation_failed', 'To is invalid', { errors: [{ field: 'to', message: 'is invalid' }] })
  }
  return to.trim()
}

function page(mails: KeptMail[], to: string | undefined, brand: string): string {
  const title = to ? `Mailbox: ${to}` : 'Mailbox'
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><link rel="icon" href="/favicon.svg">',
    `<title>${escapeHtml(`${title} - ${brand}`)}</title><link rel="stylesheet" href="/mailbox.css"></head><body>`,
    `<header><h1>Mailbox</h1><p>This test installation of ${escapeHtml(brand)} sends no e-mail. The messages it would have sent are listed here, newest first.</p>`,
    '<form action="/mailbox" method="get" role="search"><label for="to">Show e-mail to</label>',
    `<input id="to" name="to" type="email" placeholder="name@example.org" autocomplete="off" value="${escapeHtml(to ?? '')}">`,
    `<button type="submit">Show</button>${to ? '<a href="/mailbox">Show all</a>' : ''}</form></header><main>`,
    mails.length === 0
      ? `<p class="empty">${to ? `No e-mail to ${escapeHtml(to)} yet.` : 'No e-mail yet. Register an account, and its first e-mail appears here.'}</p>`
      : mails.map(article).join(''),
    '</main></body></html>',
  ].join('')
}

function article(mail: KeptMail, index: number): string {
  const shownTime = mail.at.slice(0, 19).replace('T', ' ')
  return [
    `<article aria-labelledby="mail-${index}"><h2 id="mail-${index}">${escapeHtml(mail.subject)}</h2>`,
    `<p class="meta">To <a href="/mailbox?to=${encodeURIComponent(mail.to)}">${escapeHtml(mail.to)}</a>, `,
    `<time datetime="${mail.at}">${shownTime} UTC</time></p>`,
    `<div class="text">${withLinks(mail.text, mail.links)}</div></article>`,
  ].join('')
}

/**
 * Returns the e-mail's text with the addresses that we inserted ourselves made clickable; nothing else becomes a link.
 */
function withLinks(text: string, links: string[]): string {
  return links
    .map(escapeHtml)
    .filter((link) => /^https?:/.test(link))
    .reduce((html, link) => html.replaceAll(link, `<a href="${link}">${link}</a>`), escapeHtml(text))
}

const STYLE = `
:root { color-scheme: light dark; --ink: #17202b; --soft: #52606d; --paper: #fff; --ground: #f1f4f6; --line: #d5dce2; --link: #0b5c4a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8edf2; --soft: #a7b3bf; --paper: #1a222c; --ground: #10161d; --line: #2e3a47; --link: #6fd3b6; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
header, main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 0; }
main { padding-bottom: 3rem; }
h1 { margin: 0; font-size: 1.75rem; }
h2 { margin: 0; font-size: 1.125rem; }
header p, .meta, .empty { color: var(--soft); }
a { color: var(--link); }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: center; }
label { flex-basis: 100%; font-weight: 600; }
input { flex: 1 1 14rem; min-height: 2.75rem; padding: 0 0.75rem; border: 1px solid var(--soft); border-radius: 0.5rem; background: var(--paper); color: inherit; font: inherit; }
button { min-height: 2.75rem; padding: 0 1.25rem; border: 0; border-radius: 0.5rem; background: var(--link); color: var(--paper); font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
article { margin-bottom: 1rem; padding: 1.25rem; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--paper); }
.meta { margin: 0 0 0.75rem; font-size: 0.875rem; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; }
.empty { padding: 2rem; border: 1px dashed var(--line); border-radius: 0.75rem; text-align: center; }
`
