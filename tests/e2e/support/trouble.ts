import type { BrowserContext } from '@playwright/test'

/** Collects what a browser complains about: console errors, uncaught errors, policy violations, failed requests. */
export interface Trouble {
  /** Declares problems that must occur in this test, each by a word or pattern of its line. */
  expect(...patterns: (string | RegExp)[]): void
  /** Declares problems that may occur. */
  allow(...patterns: (string | RegExp)[]): void
  /** Returns unexpected problems, and expected ones that didn't occur. */
  unexpected(): string[]
}

export async function watch(context: BrowserContext): Promise<Trouble> {
  const lines: string[] = []
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
    lines.push(`answered ${response.status()}: ${response.request().method()} ${pathOf(response.url())}`)
  })

  const matches = (line: string, pattern: string | RegExp) =>
    typeof pattern === 'string' ? line.includes(pattern) : pattern.test(line)
  return {
    expect: (...patterns) => void expected.push(...patterns),
    allow: (...patterns) => void allowed.push(...patterns),
    unexpected: () => [
      ...lines.filter((line) => ![...expected, ...allowed].some((pattern) => matches(line, pattern))),
      ...expected
        .filter((pattern) => !lines.some((line) => matches(line, pattern)))
        .map((pattern) => `did not happen: ${pattern}`),
    ],
  }
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url)
  return pathname + search
}
