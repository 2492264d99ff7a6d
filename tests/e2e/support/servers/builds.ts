import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server whose build changes while browsers use it. */
export interface Builds {
  origin: string
  /** Serves another build from now on: other pages, and another service worker. */
  next(): void
  stop(): void
}

/** Serves the app of `target` with a number in each page and in the service worker, as if it had been built again each time. */
export async function serveBuilds(target: string): Promise<Builds> {
  let build = 1
  const server = createServer((asked, reply) => {
    // Whole, and never 'not modified': the number may have changed.
    const { 'accept-encoding': _, 'if-none-match': _tag, 'if-modified-since': _since, ...headers } = asked.headers
    const forwarded = request(
      new URL(asked.url ?? '/', target),
      { method: asked.method, headers: { ...headers, host: new URL(target).host } },
      async (answer) => {
        const { 'content-length': _, ...kept } = answer.headers
        const type = answer.headers['content-type'] ?? ''
        const isWorker = asked.url?.endsWith('/service-worker.js')
        if (!isWorker && !type.startsWith('text/html')) {
          reply.writeHead(answer.statusCode ?? 502, answer.headers)
          answer.pipe(reply)
          return
        }
        const text = Buffer.concat(await answer.toArray()).toString()
        reply.writeHead(answer.statusCode ?? 502, kept)
        reply.end(
          isWorker ? `${text}\n// ${build}` : text.replace('</head>', `<meta name="build" content="${build}"></head>`),
        )
      },
    )
    forwarded.on('error', () => reply.destroy())
    asked.pipe(forwarded)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    next() {
      build += 1
    },
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
