import type { BrowserContext, Response } from '@playwright/test'

/** Collects what a browser complains about: console errors, uncaught errors, policy violations, failed requests. */
export interface Trouble {
  /** Declares problems that must occur in this test, each by a word or pattern of its line. */
  expect(...patterns: (string | RegExp)[]): void
  /** Declares problems that may occur. */
  allow(...patterns: (string | RegExp)[]): void
  /** Returns unexpected problems, and expected ones that didn't occur. */
  unexpected(): Promise<string[]>
}

export async function watch(context: BrowserContext): Promise<Trouble> {
  const lines: string[] = []
  const reading: Promise<void>[] = []
  const expected: (string | RegExp)[] = []
  const allowed: (string | RegExp)[] = []

  context.on('console', (message) => {
    if (message.type() !== 'error' && !/violates the following/i.test(message.text())) return
    // The response below reports it with its address.
    if (message.text().startsWith('Failed to load resource')) return
    lines.push(`console: ${message.text()}`)
  })
  context.on('weberror', (error) => lines.push(`uncaught: ${error.error()}`))
  context.on('requestfailed', (request) => {
    const why = request.failure()?.errorText ?? ''
    // Leaving a page aborts its requests.
    if (why !== 'net::ERR_ABORTED') lines.push(`failed: ${request.method()} ${pathOf(request.url())} ${why}`)
  })
  context.on('response', (response) => {
    if (response.status() < 400) return
    reading.push(
      isTooLate(response).then((late) => {
        if (!late) lines.push(`answered ${response.status()}: ${response.request().method()} ${pathOf(response.url())}`)
      }),
    )
  })

  const matches = (line: string, pattern: string | RegExp) =>
    typeof pattern === 'string' ? line.includes(pattern) : pattern.test(line)
  return {
    expect: (...patterns) => void expected.push(...patterns),
    allow: (...patterns) => void allowed.push(...patterns),
    async unexpected() {
      await Promise.all(reading)
      return [
        ...lines.filter((line) => ![...expected, ...allowed].some((pattern) => matches(line, pattern))),
        ...expected
          .filter((pattern) => !lines.some((line) => matches(line, pattern)))
          .map((pattern) => `did not happen: ${pattern}`),
      ]
    },
  }
}

/** Whether it answers an order, for a trade or to sell one. */
export const isSubmission = (response: Response): boolean => /\/api\/trading\/(submit|\w+\/sell)$/.test(response.url())

/** Whether an order was refused because the machine took more than two seconds for it: the trader may press again. */
export async function isTooLate(response: Response | undefined): Promise<boolean> {
  if (!response || !isSubmission(response) || response.status() !== 422) return false
  const body = (await response.json().catch(() => ({}))) as { code?: string }
  return body.code === 'order_expired'
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
